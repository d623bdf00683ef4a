# make kills                kill workers, servers and connections of a store in PostgreSQL; KILLS=20 of each family

KILLS ?= 20

# The history of each run is checked: nothing lost, recorded twice, with another token, or of two workers at once.
kills: all
	@$(with_modules) $(LUA) spec/kills/kills.lua $(KILLS) $(FAMILY)

.PHONY: kills
