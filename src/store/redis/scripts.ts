/*
 * What Redis runs, each in one go. Arguments come by name, in pairs. The keys, after the prefix:
 *
 * - `meta`: hash of `epoch` (which state holds), `deployment`, `replaced` (snapshot `before-load`), `cleared` (how many
 *   requests there were when the journal was), and the last number of each kind: `state`, `account`, `request`, `snapshot`
 * - `state:STATE`: hash of the scenario's `name` and `document`, and the `token` of the load
 * - `accounts:STATE`: sorted set of logins; `open:STATE`: of those that may answer without credentials
 * - `world:STATE:LOGIN`: hash of a whole `world` of version `base`, of the changes since by version, each after the token of
 *   its commit, and of the present `version` and `token`
 * - `log`: stream of what happened: `t`, the token of a commit, `i`, the number of its request, its changes `c`, and `e`, JSON
 *   of the rest
 * - `coverage`: hash of login and response → count
 * - `snapshots`: list of JSON, each with a state
 */

const prelude = `
local a = {}
for i = 1, #ARGV, 2 do a[ARGV[i]] = ARGV[i + 1] end
local call = redis.call
local function key(...) return KEYS[1] .. table.concat({ ... }, ':') end
local meta, log, coverage = key('meta'), key('log'), key('coverage')
local function count(what) return call('HINCRBY', meta, what, 1) end
local epoch = call('HGET', meta, 'epoch')
if a.needs and not epoch then return { 'lost' } end
local function emit(entry, request, changes)
  return call('XADD', log, 'MAXLEN', '~', a.most, '*', 't', a.token or '', 'i', request or 0, 'c', changes or '[]', 'e', entry)
end

-- What came after what is known of a world; all of it if that isn't enough.
local function news(state, login, known, from)
  local place, changes = key('world', state, login), {}
  local token, version, base = unpack(call('HMGET', place, 'token', 'version', 'base'))
  if not base then return { call('ZSCORE', key('accounts', state), login) and 'missing' or '' } end
  if token == known then return { token } end
  local last = from and call('HGET', place, from)
  local isKnown = last and string.match(last, '%S+') == known
  for each = (isKnown and from or base) + 1, tonumber(version) do
    local change = call('HGET', place, each)
    if change then changes[#changes + 1] = string.match(change, ' (.*)') end
  end
  return { token, isKnown and '' or call('HGET', place, 'world'), changes }
end

local function drop(state)
  for _, login in ipairs(call('ZRANGE', key('accounts', state), 0, -1)) do call('UNLINK', key('world', state, login)) end
  call('UNLINK', key('accounts', state), key('open', state), key('state', state))
end

local function snapshot(id, state, only)
  local scenario = call('HGET', key('state', state), 'name')
  return cjson.encode({ id = id, time = a.time, scenario = scenario, state = state, only = only })
end

local function open(state, login)
  call('ZADD', key('open', state), call('ZSCORE', key('accounts', state), login), login)
end

-- Keeps a state, or an account of it, as before-load.
local function replaced(state, only)
  local old = call('HGET', meta, 'replaced')
  if old then drop(cjson.decode(old).state) end
  call('HSET', meta, 'replaced', snapshot('before-load', state, only))
end

local function place(state, login, version, world)
  call('HSET', key('world', state, login), 'token', a.token, 'version', version, 'base', version, 'world', world, version, a.token .. ' []')
end
`

const scripts = {
  /** Writes what a step made of a world, if that is still the present one, and adds the record. */
  commit: `
-- A commit whose reply was lost comes again: was it carried out since the last entry that was known before?
if a.retry then
  local entries = call('XRANGE', log, a.last, '+')
  if not entries[1] or entries[1][1] ~= a.last then return { 'unknown' } end
  for _, entry in ipairs(entries) do
    if entry[2][2] == a.token then return { 'done', entry[2][4], entry[1] } end
  end
end
local request = 0
local own, accounts = key('world', epoch, a.login or ''), key('accounts', epoch)
if a.login and (call('HGET', own, 'token') or '') ~= a.known then return { 'over' } end

if a.kind == 'change' then
  call('HSET', own, 'token', a.token, 'version', a.version, a.version, a.token .. ' ' .. a.changes)
  if a.world then
    call('UNLINK', own)
    place(epoch, a.login, a.version, a.world)
  end
elseif a.kind == 'place' then
  if a.known == '' then
    call('ZADD', accounts, count('account'), a.login)
  else
    local kept = count('state')
    call('RENAME', own, key('world', kept, a.login))
    call('ZADD', key('accounts', kept), 0, a.login)
    call('COPY', key('state', epoch), key('state', kept))
    replaced(kept, a.login)
  end
  place(epoch, a.login, a.version, a.world)
elseif a.kind == 'remove' then
  count('account') -- a full store refuses here, before anything is gone
  call('UNLINK', own)
  call('ZREM', accounts, a.login)
  call('ZREM', key('open', epoch), a.login)
end
if a.open == '1' then open(epoch, a.login) elseif a.open == '0' then call('ZREM', key('open', epoch), a.login) end

if a.covers then
  request = redis.pcall('HINCRBY', meta, 'request', 1)
  if type(request) == 'table' then
    -- A full store still answers reads.
    if string.find(request.err, 'OOM') then return { 'done', 0, a.last } end
    return redis.error_reply(request.err)
  end
  if not string.find(a.covers, '\\n$') then call('HINCRBY', coverage, a.covers, 1) end
end
local id = a.entry and emit(a.entry, request, a.changes) or a.last
if a.reset then
  for _, field in ipairs(call('HKEYS', coverage)) do
    if string.match(field, '^(.*)\\n') == a.login then call('HDEL', coverage, field) end
  end
  emit(cjson.encode({ event = 'cleared', account = a.login }))
end
return { 'done', request, id }`,

  /** Puts a state in the place of the present one, if that is still the one that is known. */
  replace: `
if epoch and a.retry and call('HGET', key('state', epoch), 'token') == a.token then return { 'done' } end
if (epoch or '') ~= a.known then return { 'over' } end
local state = count('state')
call('HSET', key('state', state), 'name', a.scenario, 'document', a.document, 'token', a.token)
for i = 1, #ARGV, 2 do
  local version, login = string.match(ARGV[i], '^world (%d+) (.*)$')
  if version then
    call('ZADD', key('accounts', state), count('account'), login)
    place(state, login, version, ARGV[i + 1])
    if a['open ' .. login] then open(state, login) end
  end
end
call('HSET', meta, 'epoch', state, 'deployment', a.deployment)
if epoch then replaced(epoch) end
if not a.keep then
  call('UNLINK', coverage)
  call('HSET', meta, 'cleared', call('HGET', meta, 'request') or 0)
end
return { 'done', emit(a.entry) }`,

  /** The scenario of a state, and what came since what is known of its worlds. */
  state: `
local state, rows = a.state or epoch, {}
local name, document = unpack(call('HMGET', key('state', state), 'name', 'document'))
if not name then return { 'lost' } end
if a.worlds then
  local known = cjson.decode(a.worlds)
  for _, login in ipairs(call('ZRANGE', key(a.only or 'accounts', state), 0, -1)) do
    local own = known[login] or {}
    rows[#rows + 1] = { login, news(state, login, own.known, own.from) }
  end
end
return { 'done', name, document, rows }`,

  /** What came after what is known of a world. */
  world: `return { 'done', news(epoch, a.login, a.known, a.from) }`,

  /** What was logged from an entry on, how many requests there were, and the scenario's name. */
  read: `
local total = (call('HGET', meta, 'request') or 0) - (call('HGET', meta, 'cleared') or 0)
return { 'done', call('XRANGE', log, a.after, '+'), total, call('HGET', key('state', epoch), 'name') or '' }`,

  /** Logs what is no commit. */
  tell: `
if a.all then call('HSET', meta, 'cleared', call('HGET', meta, 'request') or 0) end
emit(a.entry, a.request)
return { 'done' }`,

  logins: `return { 'done', call('ZRANGE', key('accounts', epoch), 0, -1) }`,

  coverage: `return { 'done', call('HGETALL', coverage) }`,

  /** Copies the present state. */
  snapshot: `
local kept = count('state')
for _, login in ipairs(call('ZRANGE', key('accounts', epoch), 0, -1)) do
  call('COPY', key('world', epoch, login), key('world', kept, login))
end
call('COPY', key('accounts', epoch), key('accounts', kept))
call('COPY', key('state', epoch), key('state', kept))
local made = snapshot('s' .. count('snapshot'), kept)
if call('RPUSH', key('snapshots'), made) > tonumber(a.snapshots) then
  drop(cjson.decode(call('LPOP', key('snapshots'))).state)
end
return { 'done', made }`,

  snapshots: `
local all = call('LRANGE', key('snapshots'), 0, -1)
all[#all + 1] = call('HGET', meta, 'replaced') or nil
return { 'done', all }`,

  /** Looks whether all is well: a write that is allowed even if the store is full. */
  look: `
call('HDEL', meta, '')
local time, info = call('TIME'), redis.pcall('INFO', 'persistence') -- which not every user may see
local now = time[1] .. string.sub('00000' .. time[2], -6, -4)
local last = call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
local isVolatile = type(info) == 'string' and string.find(info, 'aof_enabled:0') and '1' or ''
return { 'done', epoch or '', now, call('HGET', meta, 'deployment') or '', last and last[1] or '', isVolatile }`,
}

export type ScriptName = keyof typeof scripts

/** As the client wants them. */
export const commands = Object.fromEntries(
  Object.entries(scripts).map(([name, body]) => [name, { lua: prelude + body, numberOfKeys: 1 }]),
)
