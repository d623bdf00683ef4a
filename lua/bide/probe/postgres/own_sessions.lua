---The places of the sessions that bide opens for itself, to its store, and not for a recipe: they may go where recipes may
---not, and where they went is closed to recipes.

---@type table<bide.postgres.session.Place, true>
return setmetatable({}, { __mode = "k" })
