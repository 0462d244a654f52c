import { createHash } from 'node:crypto'

/*
 * What Redis runs, each in one go. Arguments come by name, in pairs. The keys, after the prefix:
 *
 * - `meta`: hash of `epoch` (which state holds), `deployment`, `replaced` (snapshot `before-load`), `total` (requests since
 *   the journal was cleared), and the last number of each kind: `state`, `account`, `load`, `request`, `event`, `snapshot`
 * - `state:STATE`: hash of the scenario's `name` and `document`, and the `token` of the load
 * - `accounts:STATE`: sorted set of logins
 * - `world:STATE:LOGIN`: hash of a whole `world` of version `base`, of the changes since by version, each after the token of
 *   its commit, and of the present `load`, `version` and `token`
 * - `log`: stream of what happened; ids are REQUEST-EVENT. A commit has its token `t`, the login `a`, changes `c`, what undoes
 *   them `u`, their version `v` and the record `r`; everything else says in `e` what it is
 * - `coverage`: hash of response → count; `covered`: the same by login and response
 * - `snapshots`: list of JSON, each with a state
 */

const prelude = `
local a = {}
for i = 1, #ARGV, 2 do a[ARGV[i]] = ARGV[i + 1] end
local call = redis.call
local function key(...) return KEYS[1] .. table.concat({ ... }, ':') end
local meta, log, coverage, covered = key('meta'), key('log'), key('coverage'), key('covered')
local function count(what) return call('HINCRBY', meta, what, 1) end
local epoch = call('HGET', meta, 'epoch')
if a.needs and not epoch then return { 'lost' } end

local event = 0
local function emit(...)
  event = count('event')
  call('XADD', log, 'MAXLEN', '~', a.most, (call('HGET', meta, 'request') or 0) .. '-' .. event, ...)
end

-- Which commit made a version of a world; nothing if that isn't kept.
local function tokenAt(place, version)
  local change = version and call('HGET', place, version)
  return change and string.match(change, '%S+')
end

-- What came after what is known of a world; all of it if that isn't enough. Only its token if there is nothing new.
local function news(state, login, known)
  local place = key('world', state, login)
  local token, load, version, base = unpack(call('HMGET', place, 'token', 'load', 'version', 'base'))
  if not token or token == known.token then return { token or '' } end
  local from, world, changes = known.version, '', {}
  if not from or tokenAt(place, from) ~= known.token then from, world = base, call('HGET', place, 'world') end
  for each = from + 1, tonumber(version) do
    local change = call('HGET', place, each)
    if change then changes[#changes + 1] = string.match(change, ' (.*)') end
  end
  return { token, load, version, world, changes }
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

-- An account's part of the coverage stays, but not as its own; or goes.
local function uncover(login, forget)
  for _, response in ipairs(call('HKEYS', coverage)) do
    local hits = call('HGET', covered, login .. '\\n' .. response)
    if hits then
      call('HDEL', covered, login .. '\\n' .. response)
      if forget then call('HINCRBY', coverage, response, -hits) end
    end
  end
end

-- Clears the journal of an account, or all of it.
local function clear(login)
  local gone = 0
  for _, entry in ipairs(login and call('XRANGE', log, '-', '+') or {}) do
    local fields, own, record = entry[2], false, false
    for i = 1, #fields, 2 do
      own = own or fields[i] == 'a' and fields[i + 1] == login
      record = record or fields[i] == 'r'
    end
    if own and record then gone = gone + call('XDEL', log, entry[1]) end
  end
  if login then call('HINCRBY', meta, 'total', 0 - gone) else call('HSET', meta, 'total', 0) end
  emit('e', 'cleared', 'a', login or '')
end
`

const scripts = {
  /** Writes what a step made of a world, if that is still the present one, and adds the record. */
  commit: `
local place, accounts = key('world', epoch, a.login or ''), key('accounts', epoch)
-- A commit whose reply was lost comes again: was it carried out?
if a.retry then
  for _, entry in ipairs(call('XREVRANGE', log, '+', '-', 'COUNT', 200)) do
    if entry[2][1] == 't' and entry[2][2] == a.token then return { 'done', tonumber(string.match(entry[1], '%d+')), 0 } end
  end
  local made = tokenAt(place, a.version)
  if made == a.token then return { 'done', 0, 0 } end
  local version = a.changes and not made and call('HGET', place, 'version')
  if version and tonumber(version) >= tonumber(a.version) then return { 'unknown' } end
end
if a.login then
  local token = call('HGET', place, 'token')
  if not token and call('ZSCORE', accounts, a.login) then return { 'missing' } end
  if (token or '') ~= a.known then
    -- Many may be overtaken at once: not all of them get a whole world, or hundreds of changes.
    local isNear = not token or a.base and tokenAt(place, a.from) == a.base and call('HGET', place, 'version') - a.from < 100
    return { 'over', isNear and news(epoch, a.login, { token = a.base, version = a.from }) or nil }
  end
end

if a.changes then
  if a.world then
    local base = call('HGET', place, 'base')
    for each = tonumber(base), a.version - 1 do call('HDEL', place, each) end
    call('HSET', place, 'base', a.version, 'world', a.world)
  end
  call('HSET', place, 'token', a.token, 'version', a.version, a.version, a.token .. ' ' .. a.changes)
elseif a.world then
  if a.known ~= '' then
    local kept = count('state')
    call('RENAME', place, key('world', kept, a.login))
    call('ZADD', key('accounts', kept), 0, a.login)
    call('COPY', key('state', epoch), key('state', kept))
    replaced(kept, a.login)
  else
    call('ZADD', accounts, count('account'), a.login)
  end
  call('HSET', place, 'token', a.token, 'load', count('load'), 'version', a.version, 'base', a.version, 'world', a.world, a.version, a.token .. ' []')
elseif a.remove then
  call('UNLINK', place)
  call('ZREM', accounts, a.login)
  uncover(a.login)
end
local told = { 't', a.token, 'a', a.login or '' }
local function tell(...) for _, each in ipairs({ ... }) do told[#told + 1] = each end end
if a.changes then
  tell('c', a.changes, 'u', a.undo, 'v', a.version)
elseif a.world or a.remove then
  tell('c', a.world and '[{"patch":{}}]' or '[{"patch":null}]')
end
if a.secrets then tell('s', a.secrets) end

local request = 0
if a.record then
  request = redis.pcall('HINCRBY', meta, 'request', 1)
  if type(request) == 'table' then
    -- A full store still answers reads.
    if string.find(request.err, 'OOM') then return { 'done', 0, 0 } end
    return redis.error_reply(request.err)
  end
  tell('r', a.record)
  count('total')
  if a.response ~= '' then
    call('HINCRBY', coverage, a.response, 1)
    if a.account ~= '' then call('HINCRBY', covered, a.account .. '\\n' .. a.response, 1) end
  end
end
if #told > 4 then emit(unpack(told)) end
if a.reset then
  uncover(a.login, true)
  clear(a.login)
end
return { 'done', request, event }`,

  /** Puts a state in the place of the present one, if that is still the one that is known. */
  replace: `
if epoch and a.retry and call('HGET', key('state', epoch), 'token') == a.token then return { 'done' } end
if (epoch or '') ~= a.known then return { 'over' } end
local state, load = count('state'), count('load')
call('HSET', key('state', state), 'name', a.scenario, 'document', a.document, 'token', a.token)
for i = 1, #ARGV, 2 do
  local version, login = string.match(ARGV[i], '^world (%d+) (.*)$')
  if version then
    call('ZADD', key('accounts', state), count('account'), login)
    call('HSET', key('world', state, login), 'token', a.token, 'load', load, 'version', version, 'base', version, 'world', ARGV[i + 1], version, a.token .. ' []')
  end
end
call('HSET', meta, 'epoch', state, 'deployment', a.deployment)
if epoch then replaced(epoch) end
if not a.keep then
  call('UNLINK', log, coverage, covered)
  call('HSET', meta, 'total', 0)
end
emit('e', 'reset', 'n', a.scenario, 'k', a.keep or '')
return { 'done' }`,

  /** The scenario of a state, and what came since what is known of its worlds. */
  state: `
local state, rows = a.state or epoch, {}
local name, document = unpack(call('HMGET', key('state', state), 'name', 'document'))
if not name then return { 'gone' } end
if a.worlds then
  local known = cjson.decode(a.worlds)
  for _, login in ipairs(call('ZRANGE', key('accounts', state), 0, -1)) do
    rows[#rows + 1] = { login, news(state, login, known[login] or {}) }
  end
end
return { 'done', name, document, rows }`,

  /** What was logged after an entry; how many requests there were; and the coverage, of an account if one is named. */
  read: `
local counts = call('HGETALL', coverage)
for i = 1, a.account and #counts or 0, 2 do
  counts[i + 1] = call('HGET', covered, a.account .. '\\n' .. counts[i]) or '0'
end
return { 'done', call('XRANGE', log, '(' .. a.after, '+'), call('HGET', meta, 'total'), counts }`,

  clear: `
clear(a.account)
return { 'done' }`,

  /** What came after what is known of a world. */
  world: `
local found = news(epoch, a.login, { token = a.base, version = a.from })
if found[1] == '' and call('ZSCORE', key('accounts', epoch), a.login) then return { 'missing' } end
return { 'done', found }`,

  lost: `
emit('e', 'lost', 'i', a.id)
return { 'done' }`,

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
local time = call('TIME')
local now = time[1] .. string.sub('00000' .. time[2], -6, -4)
return { 'done', epoch or '', now, tonumber(call('HGET', meta, 'event') or 0), call('HGET', meta, 'deployment') or '' }`,
}

export type ScriptName = keyof typeof scripts

/** The text of a script, and its hash. */
export function scriptOf(name: ScriptName): { text: string; sha: string } {
  return texts[name]
}

const texts = Object.fromEntries(
  Object.entries(scripts).map(([name, body]) => {
    const text = prelude + body
    return [name, { text, sha: createHash('sha1').update(text).digest('hex') }]
  }),
) as Record<ScriptName, { text: string; sha: string }>
