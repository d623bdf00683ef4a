local names = require "bide.probe.ldap.names"

describe("the name of an entry", function()
  for _, pair in ipairs {
    { "dc=shop", "cn=app,dc=shop" }, { "DC = Shop", "cn=app , dc=shop" }, { "ou=it,dc=shop", "cn=a,OU=IT, dc=shop" },
    { "0.9.2342.19200300.100.1.25=shop", "cn=app,dc=shop" }, { "OID.2.5.4.10=acme", "cn=app,organizationName=Acme" },
    { "o=Acme  Inc", "cn=a,o= acme inc " }, { "o=Acme\\, Inc", "cn=a,o=Acme\\2C Inc" }, { "o=\\ a", "cn=x,o=a" },
    { "o=a\\5C2C", "cn=x,o=a\\\\2C" }, { "o=#04024869", "cn=x,o=hi" }, { "cn=a+ou=b", "cn=x,ou=b+cn=a" },
    { "o=\195\188", "cn=x,o=\\C3\\BC" }, { "ou=it;dc=shop", "cn=a;ou=it,dc=shop" }, { "o=a\\;b", "cn=x,o=a\\3Bb" },
  } do
    it(("%s is above %s"):format(pair[1], pair[2]), function() assert.is_true(names.is_above(pair[1], pair[2])) end)
  end

  for _, pair in ipairs {
    { "", "cn=x" }, { "dc=shop", "dc=shop" }, { "cn=app,dc=shop", "dc=shop" }, { "c=shop", "cn=app,dc=shop" },
    { "hop", "cn=app,dc=shop" }, { "dc=other", "cn=app,dc=shop" }, { "o=Acme\\\\2C", "cn=a,o=Acme\\2C" },
    { "o=a,b", "cn=x,o=a,b" }, { "o=#0202", "cn=x,o=#0202" }, { "cn=a+ou=b", "cn=x,cn=a" }, { "dc=sh\0op", "cn=a,dc=sh\0op" },
    { "dc=shop", "<GUID=5>" }, { "o=b", "cn=x,o=a\\,o=b" }, { "o=b", "cn=x+o=b" }, { 'o="b"', 'cn=x,o="b"' },
  } do
    it(("%q is not above %q"):format(pair[1], pair[2]), function() assert.is_false(names.is_above(pair[1], pair[2])) end)
  end

  for _, pair in ipairs {
    { "CN=App, DC=shop", "cn=app,dc=shop" }, { "commonName=app,dc=shop", "2.5.4.3=App,dc=shop" }, { "", "" },
    { "cn=app,dc=shop", "<GUID=5>" }, { "telephoneNumber=+1 2", "telephoneNumber=+12" }, { "role=a,dc=b", "function=a,dc=b" },
    { "cn=\195\156ber,dc=a", "cn=\195\188ber,dc=a" }, { 'cn="a, b",dc=c', "cn=a\\, b,dc=c" },
    { "cn=app,dc=shop", "cn=app;dc=shop" }, { "cn=app,dc=shop", 'cn="app",dc=shop' }, { 'cn="app",dc=shop', "cn=app,dc=shop" },
  } do
    it(("%s may be %s"):format(pair[1], pair[2]), function() assert.is_false(names.differ(pair[1], pair[2])) end)
  end

  for _, pair in ipairs {
    { "cn=other,dc=shop", "cn=app,dc=shop" }, { "", "cn=app,dc=shop" }, { "dc=shop", "" }, { "dc=shop", "cn=app,dc=shop" },
    { "ou=app,dc=shop", "cn=app,dc=shop" }, { "c\0=app,dc=shop", "cn=app,dc=shop" }, { "cn=\195\156ber,dc=b", "cn=x,dc=a" },
  } do
    it(("%q is not %q"):format(pair[1], pair[2]), function() assert.is_true(names.differ(pair[1], pair[2])) end)
  end
end)
