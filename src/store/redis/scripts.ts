import { createHash } from 'node:crypto'

/*
 * What Redis runs, each in one go. Arguments come by name, in pairs. The keys, after the prefix:
 *
 * - `meta`: hash of `epoch` (which state holds), `run` (which journal), `deployment`, `replaced` (snapshot `before-load`)
 *   and the last number of each kind: `load`, `account`, `request`, `event`, `snapshot`, `cleared`
 * - `scenario:EPOCH`: hash of `name` and `document`
 * - `accounts:EPOCH`: hash of login → number, then the ids of the whole worlds in its stream
 * - `heads:EPOCH`: hash of login → token of the commit that made its present world
 * - `world:EPOCH:LOGIN`: stream, the world's history. Ids are LOAD-VERSION; `t` token, `p` list of changes, now and then
 *   `w` the whole world after them; the first entry has one
 * - `journal:RUN`: stream of records; `coverage:RUN`, `covered:RUN`: hashes of response, or login and response → count;
 *   `lost:RUN`: set of the requests whose response was lost
 * - `events`: stream of what happened; `snapshots`: list of JSON, each with an epoch of its own
 */

const prelude = `
local a = {}
for i = 1, #ARGV, 2 do a[ARGV[i]] = ARGV[i + 1] end
local call = redis.call
local meta = KEYS[1] .. 'meta'
local function key(...) return KEYS[1] .. table.concat({ ... }, ':') end
local epoch, run = unpack(call('HMGET', meta, 'epoch', 'run'))

local event
local function emit(...)
  event = call('HINCRBY', meta, 'event', 1)
  call('XADD', key('events'), 'MAXLEN', '~', 1000, event .. '-0', ...)
end

-- The entries after an id, or from the last whole world on.
local function since(state, login, id)
  local from = id and id ~= '' and '(' .. id or string.match(call('HGET', key('accounts', state), login), '%S+$')
  return call('XRANGE', key('world', state, login), from, '+')
end

local function drop(state)
  for _, login in ipairs(call('HKEYS', key('accounts', state))) do call('UNLINK', key('world', state, login)) end
  call('UNLINK', key('accounts', state), key('heads', state), key('scenario', state))
end

-- Keeps a state, or an account of it, as before-load.
local function replaced(state, only)
  local old = call('HGET', meta, 'replaced')
  if old then drop(cjson.decode(old).epoch) end
  local scenario = call('HGET', key('scenario', state), 'name')
  local kept = { id = 'before-load', time = a.time, scenario = scenario, epoch = state, only = only }
  call('HSET', meta, 'replaced', cjson.encode(kept))
end

-- Clears the journal of an account, or all of it.
local function clear(login)
  local journal, coverage = key('journal', run), key('coverage', run)
  call('HINCRBY', meta, 'cleared', 1)
  if login then
    for _, entry in ipairs(call('XRANGE', journal, '-', '+')) do
      if entry[2][2] == login then call('HINCRBY', coverage, 'total', -call('XDEL', journal, entry[1])) end
    end
    emit('e', 'cleared', 'a', login)
  else
    call('UNLINK', journal)
    call('HSET', coverage, 'total', 0)
    emit('e', 'cleared')
  end
end

-- An account's part of the coverage stays, but not as its own; or goes.
local function uncover(login, forget)
  local coverage, covered = key('coverage', run), key('covered', run)
  for _, response in ipairs(call('HKEYS', coverage)) do
    local count = call('HGET', covered, login .. '\\n' .. response)
    if count then
      call('HDEL', covered, login .. '\\n' .. response)
      if forget then call('HINCRBY', coverage, response, -count) end
    end
  end
end

if a.needs and not epoch then return { 'lost' } end
`

const scripts = {
  /** Writes what a step made of a world, if that is still the present one, and adds the record. */
  commit: `
local accounts, heads, stream
if a.login then
  accounts, heads, stream = key('accounts', epoch), key('heads', epoch), key('world', epoch, a.login)
end

-- A commit whose reply was lost comes again: was it carried out?
local function isDone(place)
  for _, entry in ipairs(call('XREVRANGE', place, '+', '-', 'COUNT', 200)) do
    for i = 1, #entry[2], 2 do
      if entry[2][i] == 't' and entry[2][i + 1] == a.token then return string.match(entry[1], '%d+') end
    end
  end
end
if a.retry then
  local request = isDone(key('journal', run))
  if request or (stream and isDone(stream)) then return { 'done', tonumber(request or 0) } end
end

if a.login then
  local head = call('HGET', heads, a.login)
  if (head or '') ~= a.known then
    if not head then return { a.remove and a.retry and 'done' or 'over', 0 } end
    return { 'over', head, since(epoch, a.login, a.from) }
  end
  if head and call('EXISTS', stream) == 0 then return { 'missing' } end
end

if a.changes then
  if a.world then
    call('XADD', stream, a.id, 'p', a.changes, 't', a.token, 'w', a.world)
    -- The history reaches as far back as the journal may.
    local number, ids = string.match(call('HGET', accounts, a.login), '^(%S+) (.*)$')
    ids = ids .. ' ' .. a.id
    local oldest = tonumber(string.match(a.id, '%d+$')) - a.history
    local second = string.match(ids, '^%S+ (%S+)')
    while second and tonumber(string.match(second, '%d+$')) <= oldest do
      ids = string.match(ids, '^%S+ (.*)$')
      second = string.match(ids, '^%S+ (%S+)')
    end
    call('XTRIM', stream, 'MINID', string.match(ids, '^%S+'))
    call('HSET', accounts, a.login, number .. ' ' .. ids)
  else
    call('XADD', stream, a.id, 'p', a.changes, 't', a.token)
  end
  call('HSET', heads, a.login, a.token)
elseif a.world then
  local id = call('HINCRBY', meta, 'load', 1) .. '-' .. a.version
  local whole = call('HGET', accounts, a.login)
  if whole then
    call('RENAME', stream, key('world', a.kept, a.login))
    call('HSET', key('accounts', a.kept), a.login, whole)
    call('COPY', key('scenario', epoch), key('scenario', a.kept))
    replaced(a.kept, a.login)
  end
  local number = whole and string.match(whole, '%S+') or call('HINCRBY', meta, 'account', 1)
  call('XADD', stream, id, 't', a.token, 'w', a.world)
  call('HSET', accounts, a.login, number .. ' ' .. id)
  call('HSET', heads, a.login, a.token)
elseif a.remove then
  call('UNLINK', stream)
  call('HDEL', accounts, a.login)
  call('HDEL', heads, a.login)
  uncover(a.login)
end
if a.changes or a.world or a.remove then
  emit('e', 'change', 'a', a.login, 'p', a.changes or a.world and '[{"patch":{}}]' or '[{"patch":null}]')
end
if a.reset then
  uncover(a.login, true)
  clear(a.login)
end

if not a.record then return { 'done', 0, event } end
local request = redis.pcall('HINCRBY', meta, 'request', 1)
if type(request) == 'table' then
  -- A full store still answers reads.
  if string.find(request.err, 'OOM') then return { 'done', 0 } end
  return redis.error_reply(request.err)
end
local coverage = key('coverage', run)
if a.journal ~= '0' then
  call('XADD', key('journal', run), 'MAXLEN', a.journal, request .. '-0', 'a', a.account, 'r', a.record, 't', a.token)
end
call('HINCRBY', coverage, 'total', 1)
if a.response ~= '' then
  call('HINCRBY', coverage, a.response, 1)
  if a.account ~= '' then call('HINCRBY', key('covered', run), a.account .. '\\n' .. a.response, 1) end
end
emit('e', 'request', 'i', request, 'r', a.journal == '0' and a.record or '')
return { 'done', request, event }`,

  /** Puts a state that was written unseen in the place of the present one, if any. */
  replace: `
if a.first and epoch then return { 'joined' } end
local function persist(...) return call('PERSIST', key(...)) end
if persist('scenario', a.next) == 0 then
  return { call('EXISTS', key('scenario', a.next)) == 1 and 'done' or 'late' } -- done: before the reply was lost
end
for _, login in ipairs(call('HKEYS', key('accounts', a.next))) do persist('world', a.next, login) end
persist('accounts', a.next)
persist('heads', a.next)
call('HSET', meta, 'epoch', a.next, 'deployment', a.deployment)
if epoch then
  call('UNLINK', key('heads', epoch))
  replaced(epoch)
end
if not run or not a.keep then
  if run then call('UNLINK', key('journal', run), key('coverage', run), key('covered', run), key('lost', run)) end
  call('HSET', meta, 'run', a.next)
end
emit('e', 'reset', 's', a.scenario)
return { 'done', 0, event }`,

  /** Scenario and worlds of a state; of those that are known by token and id, what came since. */
  state: `
local state, rows = a.state or epoch, {}
local name, document = unpack(call('HMGET', key('scenario', state), 'name', 'document'))
if not name then return { 'gone' } end
local all, known = {}, {}
if a.rows ~= 'none' then all = call('HGETALL', key('accounts', state)) end
if a.rows == 'worlds' then known = cjson.decode(a.known) end
for i = 1, #all, 2 do
  local login, head, entries = all[i], '', {}
  if a.rows == 'worlds' then
    local has = known[login]
    head = call('HGET', key('heads', state), login) or ''
    if not has or has[1] ~= head then entries = since(state, login, has and has[2]) end
  end
  rows[#rows + 1] = { login, tonumber(string.match(all[i + 1], '%S+')), head, entries }
end
return { 'done', name, document, rows }`,

  /** What leads to a version of a world. */
  history: `
local stream, ids = key('world', epoch, a.login), call('HGET', key('accounts', epoch), a.login)
if not ids then return { 'done', {} } end
local from
for load, version in string.gmatch(ids, '(%d+)-(%d+)') do
  if load == a.load and tonumber(version) <= tonumber(a.version) then from = load .. '-' .. version end
end
if not from then return { 'done', {} } end
local to = a.load .. '-' .. a.version
local entries = call('XRANGE', stream, from, to)
for _, entry in ipairs(call('XRANGE', stream, '(' .. to, '+', 'COUNT', 1)) do entries[#entries + 1] = entry end
return { 'done', entries }`,

  /** Journal, after what is known of it, and coverage, of an account if one is named. */
  journal: `
local coverage, cleared = key('coverage', run), call('HGET', meta, 'cleared') or '0'
local after = a.run == run and a.cleared == cleared and a.after or '0'
local counts = call('HGETALL', coverage)
if a.account then
  for i = 1, #counts, 2 do
    counts[i + 1] = counts[i] == 'total' and counts[i + 1]
      or call('HGET', key('covered', run), a.account .. '\\n' .. counts[i]) or '0'
  end
end
local entries = call('XRANGE', key('journal', run), '(' .. after .. '-0', '+')
return { 'done', run, cleared, call('XLEN', key('journal', run)), entries, call('SMEMBERS', key('lost', run)), counts }`,

  clear: `
clear(a.account)
return { 'done' }`,

  lost: `
call('SADD', key('lost', run), a.id)
return { 'done' }`,

  /** Copies the present state. */
  snapshot: `
local id = 's' .. call('HINCRBY', meta, 'snapshot', 1)
local all = call('HGETALL', key('accounts', epoch))
for i = 1, #all, 2 do
  local login, whole = all[i], string.match(all[i + 1], '%S+$')
  call('COPY', key('world', epoch, login), key('world', a.kept, login))
  call('XTRIM', key('world', a.kept, login), 'MINID', whole)
  call('HSET', key('accounts', a.kept), login, string.match(all[i + 1], '%S+') .. ' ' .. whole)
end
call('COPY', key('scenario', epoch), key('scenario', a.kept))
local scenario = call('HGET', key('scenario', epoch), 'name')
local kept = cjson.encode({ id = id, time = a.time, scenario = scenario, epoch = a.kept })
if call('RPUSH', key('snapshots'), kept) > tonumber(a.most) then
  drop(cjson.decode(call('LPOP', key('snapshots'))).epoch)
end
return { 'done', kept }`,

  snapshots: `
return { 'done', call('LRANGE', key('snapshots'), 0, -1), call('HGET', meta, 'replaced') or '' }`,

  /** Looks whether all is well: a write that is allowed even if the store is full. */
  look: `
call('HDEL', meta, '')
local time = call('TIME')
return { 'done', epoch or '', time[1] .. string.sub('00000' .. time[2], -6, -4), tonumber(call('HGET', meta, 'event') or 0),
  call('HGET', meta, 'deployment') or '' }`,
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
