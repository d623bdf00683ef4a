---The transfers of libcurl, for the first module that needs it. libcrypto is loaded before it, by itself: among the libraries
---of libcurl, its own names are found behind all others, which takes longer.

require "bide.digest"

return require "bide.transfer"
