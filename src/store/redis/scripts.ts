/*
 * The Lua scripts. Redis runs each atomically. Arguments are pairs of name and value. The keys, after the prefix:
 *
 * - `meta`: hash of `epoch` (number of the current state), `deployment`, `replaced` (snapshot `before-load`), `cleared`
 *   (number of requests when the journal was cleared), and the last number assigned to a `state`, an `account`, a `request` and
 *   a `snapshot`
 * - `state:STATE`: hash of the scenario's `name` and `document`, and the `token` of the load
 * - `accounts:STATE`: sorted set of logins
 * - `world:STATE:LOGIN`: hash of a whole `world` of version `base`; each later change in the field of its version, after its
 *   commit's token; the current `version` and `token`
 * - `log`: stream of commits and events: `t`, the token of the commit; `i`, the number of its request; `c`, its changes; `e`,
 *   the other fields in JSON
 * - `coverage`: hash of login and response → count
 * - `snapshots`: list of snapshots in JSON, each with the number of a state
 */

const prelude = `
local a = {}
for i = 1, #ARGV, 2 do a[ARGV[i]] = ARGV[i + 1] end
local call = redis.call
local function key(...) return KEYS[1] .. table.concat({ ... }, ':') end
local meta, log, coverage = key('meta'), key('log'), key('coverage')
local function nextNumber(kind) return call('HINCRBY', meta, kind, 1) end
local epoch = call('HGET', meta, 'epoch')
if a.needsState and not epoch then return { 'stateMissing' } end
local function append(entry, request, changes)
  return call('XADD', log, 'MAXLEN', '~', a.maxEntries, '*', 't', a.token or '', 'i', request or 0, 'c', changes or '[]', 'e', entry)
end

-- The changes of a world since the caller's version, or the whole world if they are no longer stored.
local function delta(state, login, knownToken, knownVersion)
  local world, changes = key('world', state, login), {}
  local token, version, base = unpack(call('HMGET', world, 'token', 'version', 'base'))
  if not base then return { call('ZSCORE', key('accounts', state), login) and 'missing' or '' } end
  if token == knownToken then return { token } end
  local stored = knownVersion and call('HGET', world, knownVersion)
  local isKnown = stored and string.match(stored, '%S+') == knownToken
  for each = (isKnown and knownVersion or base) + 1, tonumber(version) do
    local change = call('HGET', world, each)
    if change then changes[#changes + 1] = string.match(change, ' (.*)') end
  end
  return { token, isKnown and '' or call('HGET', world, 'world'), changes }
end

-- A script can't be rolled back. So before its first change, it looks for keys that another program wrote.
local function findForeign(types)
  for name, expected in pairs(types) do
    local found = call('TYPE', name).ok
    if found ~= 'none' and found ~= expected then return { 'foreign', name } end
  end
end

-- Adds the keys of a state that don't exist yet.
local function expectNew(types, state, logins)
  types[key('state', state)], types[key('accounts', state)] = 'none', 'none'
  for _, login in ipairs(logins) do types[key('world', state, login)] = 'none' end
  return types
end

-- Adds the keys of which keepBeforeLoad reads the accounts that it drops.
local function expectReplaced(types)
  local old = call('HGET', meta, 'replaced')
  if old then types[key('accounts', cjson.decode(old).state)] = 'zset' end
  return types
end

local function dropState(state)
  for _, login in ipairs(call('ZRANGE', key('accounts', state), 0, -1)) do call('UNLINK', key('world', state, login)) end
  call('UNLINK', key('accounts', state), key('state', state))
end

local function snapshot(id, state, account)
  local scenario = call('HGET', key('state', state), 'name')
  return cjson.encode({ id = id, time = a.time, scenario = scenario, state = state, account = account })
end

-- Makes a state, or one of its accounts, the snapshot before-load.
local function keepBeforeLoad(state, account)
  local old = call('HGET', meta, 'replaced')
  if old then dropState(cjson.decode(old).state) end
  call('HSET', meta, 'replaced', snapshot('before-load', state, account))
end

local function putWorld(state, login, version, world)
  call('HSET', key('world', state, login), 'token', a.token, 'version', version, 'base', version, 'world', world, version, a.token .. ' []')
end
`

const scripts = {
  /** Writes the result of a step and adds the record, if the world that the step read is still the current one. */
  commit: `
-- A retry after a lost reply: looks for the commit among the entries since the last one that the caller knew before.
if a.retry then
  local entries = call('XRANGE', log, a.lastEntry, '+')
  if not entries[1] or entries[1][1] ~= a.lastEntry then return { 'unknown' } end
  for _, entry in ipairs(entries) do
    if entry[2][2] == a.token then return { 'done', entry[2][4], entry[1] } end
  end
end
local request = 0
local world, accounts = key('world', epoch, a.login or ''), key('accounts', epoch)
if a.login and (call('HGET', world, 'token') or '') ~= a.knownToken then return { 'conflict' } end
local replaced = a.kind == 'put' and a.knownToken ~= '' and nextNumber('state')
if a.kind then
  local types = { [log] = 'stream', [coverage] = 'hash', [accounts] = 'zset' }
  if replaced then expectReplaced(expectNew(types, replaced, { a.login })) end
  local foreign = findForeign(types)
  if foreign then return foreign end
end

if a.kind == 'change' then
  call('HSET', world, 'token', a.token, 'version', a.version, a.version, a.token .. ' ' .. a.changes)
  if a.world then
    call('UNLINK', world)
    putWorld(epoch, a.login, a.version, a.world)
  end
elseif a.kind == 'put' then
  if a.knownToken == '' then
    call('ZADD', accounts, nextNumber('account'), a.login)
  else
    call('RENAME', world, key('world', replaced, a.login))
    call('ZADD', key('accounts', replaced), 0, a.login)
    call('COPY', key('state', epoch), key('state', replaced))
    keepBeforeLoad(replaced, a.login)
  end
  putWorld(epoch, a.login, a.version, a.world)
elseif a.kind == 'remove' then
  nextNumber('account') -- a full store fails here, before anything is deleted
  call('UNLINK', world)
  call('ZREM', accounts, a.login)
end

if a.response then
  request = redis.pcall('HINCRBY', meta, 'request', 1)
  if type(request) == 'table' then
    -- A full store still allows reads.
    if string.find(request.err, 'OOM') then return { 'done', 0, a.lastEntry } end
    return redis.error_reply(request.err)
  end
  if not string.find(a.response, '\\n$') then call('HINCRBY', coverage, a.response, 1) end
end
local id = a.entry and append(a.entry, request, a.changes) or a.lastEntry
if a.isReset then
  for _, field in ipairs(call('HKEYS', coverage)) do
    if string.match(field, '^(.*)\\n') == a.login then call('HDEL', coverage, field) end
  end
  append(cjson.encode({ event = 'cleared', account = a.login }))
end
return { 'done', request, id }`,

  /** Replaces the whole state, if it is still the one that the caller knows. */
  replace: `
if epoch and a.retry and call('HGET', key('state', epoch), 'token') == a.token then return { 'done' } end
if (epoch or '') ~= a.knownEpoch then return { 'conflict' } end
local state, logins = nextNumber('state'), {}
for i = 1, #ARGV, 2 do logins[#logins + 1] = string.match(ARGV[i], '^world %d+ (.*)$') end
local foreign = findForeign(expectReplaced(expectNew({ [log] = 'stream' }, state, logins)))
if foreign then return foreign end
call('HSET', key('state', state), 'name', a.scenario, 'document', a.document, 'token', a.token)
for i = 1, #ARGV, 2 do
  local version, login = string.match(ARGV[i], '^world (%d+) (.*)$')
  if version then
    call('ZADD', key('accounts', state), nextNumber('account'), login)
    putWorld(state, login, version, ARGV[i + 1])
  end
end
call('HSET', meta, 'epoch', state, 'deployment', a.deployment)
if epoch then keepBeforeLoad(epoch) end
if not a.keepJournal then
  call('UNLINK', coverage)
  call('HSET', meta, 'cleared', call('HGET', meta, 'request') or 0)
end
return { 'done', append(a.entry) }`,

  /** The scenario of a state, and on request the changes of its worlds since the caller's versions. */
  state: `
local state, rows = a.state or epoch, {}
local name, document = unpack(call('HMGET', key('state', state), 'name', 'document'))
if not name then return { 'stateMissing' } end
if a.known then
  local known = cjson.decode(a.known)
  for _, login in ipairs(call('ZRANGE', key('accounts', state), 0, -1)) do
    local cached = known[login] or {}
    rows[#rows + 1] = { login, delta(state, login, cached.knownToken, cached.knownVersion) }
  end
end
return { 'done', name, document, rows }`,

  /** The changes of a world since the caller's version. */
  world: `return { 'done', delta(epoch, a.login, a.knownToken, a.knownVersion) }`,

  /** The entries of the log from `from` on, the number of requests since the journal was cleared, and the scenario's name. */
  readLog: `
local total = (call('HGET', meta, 'request') or 0) - (call('HGET', meta, 'cleared') or 0)
return { 'done', call('XRANGE', log, a.from, '+'), total, call('HGET', key('state', epoch), 'name') or '' }`,

  /** Adds an entry that isn't a commit to the log. */
  appendEvent: `
if a.all then call('HSET', meta, 'cleared', call('HGET', meta, 'request') or 0) end
append(a.entry, a.request)
return { 'done' }`,

  logins: `return { 'done', call('ZRANGE', key('accounts', epoch), 0, -1) }`,

  coverage: `return { 'done', call('HGETALL', coverage) }`,

  /** Copies the current state. */
  snapshot: `
local copy, logins, snapshots = nextNumber('state'), call('ZRANGE', key('accounts', epoch), 0, -1), key('snapshots')
local foreign = findForeign(expectNew({ [snapshots] = 'list' }, copy, logins))
if foreign then return foreign end
local oldest = call('LLEN', snapshots) >= tonumber(a.maxSnapshots) and cjson.decode(call('LINDEX', snapshots, 0)).state
foreign = oldest and findForeign({ [key('accounts', oldest)] = 'zset' })
if foreign then return foreign end
for _, login in ipairs(logins) do
  call('COPY', key('world', epoch, login), key('world', copy, login))
end
call('COPY', key('accounts', epoch), key('accounts', copy))
call('COPY', key('state', epoch), key('state', copy))
local added = snapshot('s' .. nextNumber('snapshot'), copy)
call('RPUSH', snapshots, added)
if oldest then
  call('LPOP', snapshots)
  dropState(oldest)
end
return { 'done', added }`,

  snapshots: `
local all = call('LRANGE', key('snapshots'), 0, -1)
all[#all + 1] = call('HGET', meta, 'replaced') or nil
return { 'done', all }`,

  /** Checks that the store is writable, with a write that succeeds even if it is full, and returns its status. */
  storeStatus: `
call('HDEL', meta, '')
local time, info = call('TIME'), redis.pcall('INFO', 'persistence') -- not every user may call INFO
local now = time[1] .. string.sub('00000' .. time[2], -6, -4)
local last = call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
local isVolatile = type(info) == 'string' and string.find(info, 'aof_enabled:0') and '1' or ''
return { 'done', epoch or '', now, call('HGET', meta, 'deployment') or '', last and last[1] or '', isVolatile }`,
}

/** Also the names of the client's methods, so they must not be names of Redis commands or of the client's properties. */
export type ScriptName = keyof typeof scripts

/** The scripts in the format of the client's option `scripts`. */
export const commands = Object.fromEntries(
  Object.entries(scripts).map(([name, body]) => [name, { lua: prelude + body, numberOfKeys: 1 }]),
)
