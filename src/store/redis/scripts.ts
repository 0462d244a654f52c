/*
 * What Redis runs, each in one go. Arguments come by name, in pairs. The keys, after the prefix:
 *
 * - `meta`: hash of `epoch` (which state holds), `deployment`, `replaced` (snapshot `before-load`), `cleared` (requests that
 *   the journal was cleared of), and the last number of each kind: `state`, `account`, `request`, `snapshot`
 * - `state:STATE`: hash of the scenario's `name` and `document`, and the `token` of the load
 * - `accounts:STATE`: sorted set of logins
 * - `world:STATE:LOGIN`: hash of a whole `world` of version `base`, of the changes since by version, each after the token of
 *   its commit, and of the present `version` and `token`
 * - `log`: stream of what happened. A commit has its token `t`, the login `a`, changes `c`, what undoes them `u`, their
 *   version `v`, the number `i` of the request and its record `r`; everything else says in `e` what it is
 * - `coverage`: hash of login and response → count
 * - `snapshots`: list of JSON, each with a state
 */

const prelude = `
local a = {}
for i = 1, #ARGV, 2 do a[ARGV[i]] = ARGV[i + 1] end
local call = redis.call
local function key(...) return KEYS[1] .. table.concat({ ... }, ':') end
local meta, log, coverage = key('meta'), key('log'), key('coverage')
local function count(what, by) return call('HINCRBY', meta, what, by or 1) end
local epoch = call('HGET', meta, 'epoch')
if a.needs and not epoch then return { 'lost' } end
local function emit(...) return call('XADD', log, 'MAXLEN', '~', a.most, '*', ...) end

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
  call('UNLINK', key('accounts', state), key('state', state))
end

local function snapshot(id, state, only)
  local scenario = call('HGET', key('state', state), 'name')
  return cjson.encode({ id = id, time = a.time, scenario = scenario, state = state, only = only })
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

-- What an account covered stays, but not as its own; or goes.
local function uncover(login, forget)
  for _, field in ipairs(call('HKEYS', coverage)) do
    local owner, response = string.match(field, '^(.*)(\\n.*)$')
    if owner == login then
      if not forget then call('HINCRBY', coverage, response, call('HGET', coverage, field)) end
      call('HDEL', coverage, field)
    end
  end
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

if a.changes then
  call('HSET', own, 'token', a.token, 'version', a.version, a.version, a.token .. ' ' .. a.changes)
  if a.world then
    call('UNLINK', own)
    place(epoch, a.login, a.version, a.world)
  end
elseif a.world then
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
elseif a.remove then
  count('account') -- a full store refuses here, before anything is gone
  call('UNLINK', own)
  call('ZREM', accounts, a.login)
  uncover(a.login)
end

if a.record then
  request = redis.pcall('HINCRBY', meta, 'request', 1)
  if type(request) == 'table' then
    -- A full store still answers reads.
    if string.find(request.err, 'OOM') then return { 'done', 0, a.last } end
    return redis.error_reply(request.err)
  end
  if a.response ~= '' then call('HINCRBY', coverage, a.account .. '\\n' .. a.response, 1) end
end
local id, changes = a.last, a.changes or a.world and '[{"patch":{}}]' or a.remove and '[{"patch":null}]'
if a.record or changes then
  local told = { 't', a.token, 'i', request, 'a', a.login or '', 'c', changes or '[]' }
  for short, name in pairs({ u = 'undo', v = 'version', s = 'secrets', r = 'record' }) do
    if a[name] then
      told[#told + 1] = short
      told[#told + 1] = a[name]
    end
  end
  id = emit(unpack(told))
end
if a.gone then
  uncover(a.login, true)
  count('cleared', a.gone)
  emit('e', 'cleared', 'a', a.login)
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
  end
end
call('HSET', meta, 'epoch', state, 'deployment', a.deployment)
if epoch then replaced(epoch) end
if not a.keep then
  call('UNLINK', log, coverage)
  call('HSET', meta, 'cleared', call('HGET', meta, 'request') or 0)
end
return { 'done', emit('e', 'reset', 'n', a.scenario, 'k', a.keep or '') }`,

  /** The scenario of a state, and what came since what is known of its worlds. */
  state: `
local state, rows = a.state or epoch, {}
local name, document = unpack(call('HMGET', key('state', state), 'name', 'document'))
if not name then return { 'lost' } end
if a.worlds then
  local known = cjson.decode(a.worlds)
  for _, login in ipairs(call('ZRANGE', key('accounts', state), 0, -1)) do
    local own = known[login] or {}
    rows[#rows + 1] = { login, news(state, login, own.known, own.from) }
  end
end
return { 'done', name, document, rows }`,

  /** What came after what is known of a world. */
  world: `return { 'done', news(epoch, a.login, a.known, a.from) }`,

  /** What was logged from an entry on, and how many requests there were. */
  read: `
local total = (call('HGET', meta, 'request') or 0) - (call('HGET', meta, 'cleared') or 0)
return { 'done', call('XRANGE', log, a.after, '+'), total }`,

  /** Logs what is no commit. */
  tell: `
if a.gone then count('cleared', a.gone) end
emit('e', a.event, 'a', a.account or '', 'i', a.id or '')
return { 'done' }`,

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
local isVolatile = type(info) == 'string' and string.find(info, 'aof_enabled:0') and 1 or 0
return { 'done', epoch or '', now, call('HGET', meta, 'deployment') or '', last and last[1] or '', isVolatile }`,
}

export type ScriptName = keyof typeof scripts

/** As the client wants them. */
export const commands = Object.fromEntries(
  Object.entries(scripts).map(([name, body]) => [name, { lua: prelude + body, numberOfKeys: 1 }]),
)
