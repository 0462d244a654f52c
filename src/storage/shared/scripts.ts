/*
 * The Lua scripts that run inside Redis, each one atomically. A failed script isn't rolled back, so each one checks
 * everything first. If the server is full, read-only or failing, it already refuses the first write; after that one,
 * no write is refused.
 *
 * Keys, behind the prefix P:
 * - `P:deployment`  string: the settings that all replicas must share
 * - `P:epoch`       string: the current state. A load writes the worlds under a new epoch, then switches to it.
 * - `P:births`, `P:requests`, `P:snapshots:last`, `P:events:last`: counters
 * - `P:<epoch>:m`   hash: scenario name, document, base (the readings of most worlds), run, born (ms)
 * - `P:<epoch>:i`   hash: login → `<birth>-<version>`, the newest entry of its history: the value to compare and set
 * - `P:<epoch>:w:<login>` stream, the history of a world; ids are those of `i`. Fields: p (merge patches, one per
 *                   version), w (the whole world after them), f (version of the previous whole world), k (versions of
 *                   the whole worlds in the stream), b (creation time, ms), e (era)
 * - `P:<epoch>:r`   hash: login → readings, if they differ from `base`
 * - `P:<epoch>:p`   hash: login → the birth by which it is listed, if its world was replaced since
 * - `P:<epoch>:turns` hash: login → replica with priority after two conflicts in a row, and until when (ms)
 * - `P:<epoch>:a`   sorted set: accounts that may expire, by last use (ms)
 * - `P:<run>:j`     stream, the journal, ids are request ids; `:x` hash of the texts that its records share; `:l`
 *                   stream of request ids whose responses were lost; `:c` hash of the coverage, `:c:<login>` of one
 *                   account, `:s` set of the logins that have one; `:o` hash: dropped, cleared
 * - `P:events`      stream of events, only filled while a replica listens (`P:listening`)
 * - `P:snapshots`   list of JSON; `P:before` hash: the epoch that a load or reset replaced
 * - `P:trash`       hash: epoch or run → when (ms) it was discarded, or began to be written
 * - `P:t:<replica>` hash: which connections of a replica may write (`g<n>`), and the outcomes of its last writes
 */

/** Writes of one replica whose outcomes Redis keeps */
export const keptOutcomes = 64

const common = `
local P = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- The key prefix of the current epoch.
local function current()
  return P .. (redis.call('GET', P .. 'epoch') or '') .. ':'
end

local function split(id)
  local dash = string.find(id, '-', 1, true)
  return string.sub(id, 1, dash - 1), tonumber(string.sub(id, dash + 1))
end

local function field(entry, name)
  for i = 1, #entry[2], 2 do if entry[2][i] == name then return entry[2][i + 1] end end
end

-- The entries from which a world can be rebuilt as of \`id\`, or only those after \`known\`.
local function history(key, id, known)
  local last = redis.call('XRANGE', key, id, id)[1]
  if not last then return false end
  local birth, version = split(id)
  local from = tonumber(field(last, 'f'))
  if known and known ~= '?' and known ~= '-' then
    local life, seen = split(known)
    if life == birth and seen >= from and seen < version then return redis.call('XRANGE', key, '(' .. known, id) end
  end
  if field(last, 'w') then from = version end
  if from == version then return {last} end
  return redis.call('XRANGE', key, birth .. '-' .. from, id)
end
`

/*
 * Arguments 1 to 3: replica, its connection, number of the write. A write may arrive after its caller gave up: it does
 * nothing once its connection has been fenced off. A write and its outcome are stored atomically, and only then is it 'ok'.
 */
const writing = `
local self = P .. 't:' .. ARGV[1]
if redis.call('HEXISTS', self, 'g' .. ARGV[2]) == 0 then return {'void'} end
local function remember(result)
  return redis.pcall('HSET', self, ARGV[3] % ${keptOutcomes}, ARGV[3] .. ' ' .. cjson.encode(result))
end
local function refused(reply) return type(reply) == 'table' and reply.err end

local epoch, listening = unpack(redis.call('MGET', P .. 'epoch', P .. 'listening'))
local function tell(...)
  if listening then
    redis.call('XADD', P .. 'events', 'MAXLEN', '~', 10000, redis.call('INCR', P .. 'events:last') .. '-0', ...)
  end
end

-- Removes an account's requests from the journal, and optionally from the coverage.
local function forget(run, account, coverage)
  local from = '-'
  repeat
    local entries = redis.call('XRANGE', run .. 'j', from, '+', 'COUNT', 500)
    for _, entry in ipairs(entries) do
      if field(entry, 'a') == account then redis.call('XDEL', run .. 'j', entry[1]) end
      from = '(' .. entry[1]
    end
  until #entries < 500
  redis.call('HINCRBY', run .. 'o', 'cleared', 1)
  if coverage then
    local counts = redis.call('HGETALL', run .. 'c:' .. account)
    for i = 1, #counts, 2 do redis.call('HINCRBY', run .. 'c', counts[i], -counts[i + 1]) end
    redis.call('DEL', run .. 'c:' .. account)
    redis.call('SREM', run .. 's', account)
  end
  tell('t', 'cleared', 'a', account)
end

-- Stores the readings of a world, unless they are the default (\`base\`).
local function hold(E, login, readings)
  if readings == redis.call('HGET', E .. 'm', 'base') then redis.call('HDEL', E .. 'r', login)
  else redis.call('HSET', E .. 'r', login, readings) end
end

-- Deletes an account.
local function drop(E, login)
  redis.call('DEL', E .. 'w:' .. login)
  redis.call('HDEL', E .. 'i', login)
  redis.call('HDEL', E .. 'r', login)
  redis.call('HDEL', E .. 'p', login)
  redis.call('ZREM', E .. 'a', login)
end
`

/*
 * Runs after each connect, and fences off the replica's earlier connections. The next connection is registered ahead of
 * time, as a full server would refuse to register it.
 * replica, connection → now, epoch, run, born, outcomes of the last writes
 */
const greet = `${common}
local self = P .. 't:' .. ARGV[1]
local isKnown = redis.call('HEXISTS', self, 'g' .. ARGV[2]) == 1
local names = redis.call('HKEYS', self)
for _, name in ipairs(names) do
  if string.sub(name, 1, 1) == 'g' and name ~= 'g' .. ARGV[2] then redis.call('HDEL', self, name) end
end
local reply = redis.pcall('HSET', self, 'g' .. ARGV[2], 1, 'g' .. ARGV[2] + 1, 1)
if type(reply) == 'table' and reply.err and not (isKnown and string.find(reply.err, 'OOM')) then return reply end
redis.call('EXPIRE', self, 86400)
local epoch = redis.call('GET', P .. 'epoch')
local m = epoch and redis.call('HMGET', P .. epoch .. ':m', 'run', 'born') or {}
return {now, epoch, m[1] or '', m[2] or 0, redis.call('HGETALL', self)}
`

/*
 * Compare and set for each lane: if its world is not the known one, nothing of the lane is written, and its reply has
 * the missing entries. A replica that loses twice in a row gets priority for a moment; otherwise the faster one would
 * always win.
 * epoch, run, limit of the journal, lanes, length of the texts; each lane: login, known id, next id (empty: no change),
 * oldest id to keep, readings (empty: unchanged), conflicts so far, whether to note its use, number of fields, fields of the
 * entry, number of records; each record: account, coverage key, JSON. Then names and texts that the records share.
 * → 'ok' or 'full' (only reads succeeded), now, id of the first record, lanes: 1 done, 0 no such account, -1 full, or
 * the missing entries
 */
const commit = `${common}${writing}
if epoch ~= ARGV[4] then
  local m = epoch and redis.call('HMGET', P .. epoch .. ':m', 'run', 'born') or {}
  return {'epoch', now, epoch, m[1] or '', m[2] or 0}
end
local E, run, limit = P .. epoch .. ':', P .. ARGV[5] .. ':', tonumber(ARGV[6])

local lanes, logins, at, isWrite = {}, {}, 9, false
for l = 1, tonumber(ARGV[7]) do
  local fields = tonumber(ARGV[at + 7])
  local records = tonumber(ARGV[at + 8 + fields])
  lanes[l] = {at = at, fields = fields, records = records, first = at + 9 + fields}
  logins[l] = ARGV[at]
  isWrite = isWrite or ARGV[at + 2] ~= ''
  at = at + 9 + fields + 3 * records
end

local ids = redis.call('HMGET', E .. 'i', unpack(logins))
local turns = isWrite and redis.call('EXISTS', E .. 'turns') == 1 and redis.call('HMGET', E .. 'turns', unpack(logins)) or {}
local answers, marks, count, kept, done = {}, {}, 0, {}, {}
for l, lane in ipairs(lanes) do
  local known, id, changes = ARGV[lane.at + 1], ids[l] or '-', ARGV[lane.at + 2] ~= ''
  local whose, till = string.match(turns[l] or '', '^(%S+) (%d+)$')
  local isMine = whose == ARGV[1]
  local left = whose and not isMine and tonumber(till) - now or 0
  local isOthers = left > 0 and left <= 250 -- more: the clock was set back
  if known == id and not (changes and isOthers) then
    answers[l], marks[l] = 1, '1'
    count = count + lane.records
    if isMine then done[#done + 1] = logins[l] end
  else
    marks[l] = '0'
    if changes and not isOthers and ARGV[lane.at + 5] ~= '0' then
      kept[#kept + 1] = logins[l]
      kept[#kept + 1] = ARGV[1] .. ' ' .. string.format('%d', now + 250)
    end
    local missing = known ~= id and history(E .. 'w:' .. logins[l], id, known) or {}
    answers[l] = id == '-' and 0 or {id, missing}
  end
end

local first, failed = 0, false
if count > 0 then
  first = redis.pcall('INCRBY', P .. 'requests', count)
  failed = refused(first)
  if not failed then first = first - count + 1 end
end
if not failed then failed = refused(remember({first, table.concat(marks)})) end
if failed then
  if not string.find(failed, 'OOM', 1, true) then return redis.error_reply(failed) end
  for l, lane in ipairs(lanes) do
    if answers[l] == 1 and ARGV[lane.at + 2] ~= '' then answers[l] = -1 end
  end
  return {'full', now, 0, answers}
end

local newest, used, covered, id = {}, {}, {}, first
if ARGV[8] ~= '0' then redis.call('HSET', run .. 'x', unpack(ARGV, at)) end
for l, lane in ipairs(lanes) do
  local login, next = logins[l], ARGV[lane.at + 2]
  if ids[l] and ARGV[lane.at + 6] == '1' then
    used[#used + 1] = now
    used[#used + 1] = login
  end
  if answers[l] == 1 then
    if next ~= '' then
      local fields = lane.at + 8
      redis.call('XADD', E .. 'w:' .. login, 'MINID', '=', ARGV[lane.at + 3], next, unpack(ARGV, fields, fields + lane.fields - 1))
      newest[#newest + 1] = login
      newest[#newest + 1] = next
      if ARGV[lane.at + 4] ~= '' then hold(E, login, ARGV[lane.at + 4]) end
      tell('t', 'change', 'a', login, 'p', ARGV[fields + 1])
    end
    for r = lane.first, lane.first + 3 * (lane.records - 1), 3 do
      local account, covers, json = ARGV[r], ARGV[r + 1], ARGV[r + 2]
      if limit > 0 then redis.call('XADD', run .. 'j', id .. '-0', 'a', account, 'r', json) end
      if covers ~= '' then
        covered[covers] = (covered[covers] or 0) + 1
        if account ~= '' and redis.call('HINCRBY', run .. 'c:' .. account, covers, 1) == 1 then
          redis.call('SADD', run .. 's', account)
        end
      end
      tell('t', 'request', 'i', id, 'r', json, 'u', ARGV[5])
      id = id + 1
    end
  end
end
for covers, times in pairs(covered) do redis.call('HINCRBY', run .. 'c', covers, times) end
if #done > 0 then redis.call('HDEL', E .. 'turns', unpack(done)) end
if #kept > 0 then redis.call('HSET', E .. 'turns', unpack(kept)) end
if #newest > 0 then redis.call('HSET', E .. 'i', unpack(newest)) end
if #used > 0 then redis.call('ZADD', E .. 'a', 'XX', unpack(used)) end
if count > 0 then
  local dropped = limit > 0 and redis.call('XTRIM', run .. 'j', 'MAXLEN', '=', limit) or count
  if dropped > 0 then redis.call('HINCRBY', run .. 'o', 'dropped', dropped) end
end
return {'ok', now, first, answers}
`

/*
 * Writes one account. mode: 'create' (only if there is none), 'put', 'undo' ('put', and keeps the previous world as
 * `before`), 'replace' ('undo', and clears its part of the journal and coverage), 'remove' (only if there is one).
 * epoch, run, mode, login, version, world, readings, maximum accounts, whether it may expire, epoch for the previous
 * world, time, scenario
 * → 'ok' and the discarded epoch, 'taken', 'none', 'many' and how many, 'epoch'
 */
const put = `${common}${writing}
local mode, login = ARGV[6], ARGV[7]
if epoch ~= ARGV[4] then return {'epoch', epoch} end
local E, run = P .. epoch .. ':', P .. ARGV[5] .. ':'
local id = redis.call('HGET', E .. 'i', login)
if mode == 'create' then
  if id then return {'taken'} end
  local count = redis.call('HLEN', E .. 'i')
  if tonumber(ARGV[11]) > 0 and count >= tonumber(ARGV[11]) then return {'many', count} end
end
if mode == 'remove' and not id then return {'none'} end
local keeps = (mode == 'replace' or mode == 'undo') and id
local unneeded = keeps and redis.call('HGET', P .. 'before', 'epoch') or ''
local reply = remember({'ok', unneeded})
if refused(reply) then return reply end
if keeps then
  local kept = P .. ARGV[13] .. ':'
  redis.call('RENAME', E .. 'w:' .. login, kept .. 'w:' .. login)
  redis.call('HSET', kept .. 'i', login, id)
  redis.call('HSET', kept .. 'm', 'name', ARGV[15])
  redis.call('HSET', P .. 'before', 'epoch', ARGV[13], 'time', ARGV[14], 'scenario', ARGV[15], 'only', login)
  if unneeded ~= '' then redis.call('HSET', P .. 'trash', unneeded, now) end
end
local place = id and (redis.call('HGET', E .. 'p', login) or split(id))
if id then drop(E, login) end
if mode ~= 'remove' then
  if place then redis.call('HSET', E .. 'p', login, place) end
  local birth = redis.call('INCR', P .. 'births')
  redis.call('XADD', E .. 'w:' .. login, birth .. '-' .. ARGV[8],
    'w', ARGV[9], 'f', ARGV[8], 'k', '[' .. ARGV[8] .. ']', 'b', now, 'e', birth)
  redis.call('HSET', E .. 'i', login, birth .. '-' .. ARGV[8])
  hold(E, login, ARGV[10])
  if ARGV[12] == '1' then redis.call('ZADD', E .. 'a', now, login) end
end
tell('t', mode == 'remove' and 'gone' or 'new', 'a', login)
if mode == 'remove' then
  redis.call('DEL', run .. 'c:' .. login)
  redis.call('SREM', run .. 's', login)
end
if mode == 'replace' then forget(run, login, true) end
return {'ok', unneeded}
`

/*
 * Adds worlds to an epoch that isn't current yet. Does nothing if it arrives late: the epoch is current or deleted.
 * epoch, first birth, worlds; each: login, version, world, readings (`-`: the default), whether it may expire
 */
const write = `${common}
if redis.call('HEXISTS', P .. 'trash', ARGV[1]) == 0 then return 'late' end
local E, birth = P .. ARGV[1] .. ':', tonumber(ARGV[2])
local ids = {}
for at = 4, 3 + 5 * ARGV[3], 5 do
  local login, version = ARGV[at], ARGV[at + 1]
  redis.call('DEL', E .. 'w:' .. login)
  redis.call('XADD', E .. 'w:' .. login, birth .. '-' .. version,
    'w', ARGV[at + 2], 'f', version, 'k', '[' .. version .. ']', 'b', 0, 'e', birth)
  ids[#ids + 1] = login
  ids[#ids + 1] = birth .. '-' .. version
  if ARGV[at + 3] ~= '-' then redis.call('HSET', E .. 'r', login, ARGV[at + 3]) end
  if ARGV[at + 4] == '1' then redis.call('ZADD', E .. 'a', now, login) end
  birth = birth + 1
end
redis.call('HSET', E .. 'i', unpack(ids))
return 'ok'
`

/*
 * Begins an epoch. It counts as trash until it is current, so that an abandoned one is deleted.
 * epoch, scenario, document, base, worlds, epoch to copy the document from (empty: none)
 * → the first birth; nothing if the epoch to copy from is gone
 */
const begin = `${common}
local document = ARGV[3]
if ARGV[6] ~= '' then document = redis.call('HGET', P .. ARGV[6] .. ':m', 'document') end
if not document then return false end
redis.call('HSET', P .. 'trash', ARGV[1], now)
redis.call('HSET', P .. ARGV[1] .. ':m', 'name', ARGV[2], 'document', document, 'base', ARGV[4])
return redis.call('INCRBY', P .. 'births', ARGV[5]) - ARGV[5] + 1
`

/*
 * Makes an epoch the current one. mode: 'first' (only if there is none), 'load' (keeps the previous epoch, starts a new
 * journal), 'restore' (keeps the journal), 'undo' (keeps both); epoch, run, time, deployment
 * → 'ok', now, epoch, run, born, discarded epochs and runs; 'joined'; 'late': it was deleted meanwhile
 */
const swap = `${common}${writing}
local mode, next, run = ARGV[4], ARGV[5], ARGV[6]
if mode == 'first' and epoch then return {'joined'} end
if redis.call('EXISTS', P .. next .. ':m') == 0 then return {'late'} end
local m = epoch and redis.call('HMGET', P .. epoch .. ':m', 'run', 'name') or {}
local before = redis.call('HGET', P .. 'before', 'epoch')
local goesOn = (mode == 'restore' or mode == 'undo') and m[1]
local keeps = epoch and mode ~= 'restore'
local trash = {}
if goesOn then run = m[1] elseif epoch then trash[1] = m[1] end
if keeps then
  if before then trash[#trash + 1] = before end
elseif epoch and epoch ~= before then trash[#trash + 1] = epoch end
local result = {'ok', now, next, run, now, trash}
local reply = remember(result)
if refused(reply) then return reply end
redis.call('HSET', P .. next .. ':m', 'run', run, 'born', now)
redis.call('HDEL', P .. 'trash', next)
for _, unneeded in ipairs(trash) do redis.call('HSET', P .. 'trash', unneeded, now) end
if keeps then
  redis.call('DEL', P .. 'before')
  redis.call('HSET', P .. 'before', 'epoch', epoch, 'time', ARGV[7], 'scenario', m[2])
end
redis.call('SET', P .. 'deployment', ARGV[8])
redis.call('SET', P .. 'epoch', next)
tell('t', 'reset', 's', redis.call('HGET', P .. next .. ':m', 'name'))
return result
`

/** Reads worlds as of a history entry. epoch; each: login, id → each: entries */
const read = `${common}
local found = {}
for at = 2, #ARGV, 2 do found[#found + 1] = history(P .. ARGV[1] .. ':w:' .. ARGV[at], ARGV[at + 1]) or {} end
return found
`

/** Reads a world at an earlier version. login, birth, version → entries; empty if the version isn't kept */
const past = `${common}
local key, id = current() .. 'w:' .. ARGV[1], ARGV[2] .. '-' .. ARGV[3]
local entry = redis.call('XRANGE', key, id, ARGV[2] .. '-18446744073709551615', 'COUNT', 1)[1]
if not entry then return {} end
if entry[1] == id and field(entry, 'w') then return {entry} end
return redis.call('XRANGE', key, ARGV[2] .. '-' .. field(entry, 'f'), entry[1])
`

/** How far a world can be rewound. login → its newest id and the oldest kept one */
const reach = `${common}
local E = current()
local id = redis.call('HGET', E .. 'i', ARGV[1])
if not id then return {} end
return {id, redis.call('XRANGE', E .. 'w:' .. ARGV[1], '-', '+', 'COUNT', 1)[1][1]}
`

/*
 * Reads what an epoch contains.
 * epoch (empty: the current one), what to read ('scenario', 'logins', 'state': both, 'readings'), epoch whose document
 * is cached
 * → epoch, scenario, document (empty: not requested, or cached), number of accounts or their logins and ids, base,
 * logins with other readings, logins with other places in the list; nothing if there is no such epoch
 */
const index = `${common}
local epoch = ARGV[1] ~= '' and ARGV[1] or redis.call('GET', P .. 'epoch')
if not epoch then return {} end
local E, wanted = P .. epoch .. ':', ARGV[2]
local hasDocument = (wanted == 'scenario' or wanted == 'state') and epoch ~= ARGV[3]
local hasLogins = wanted == 'logins' or wanted == 'state'
local m = redis.call('HMGET', E .. 'm', 'name', 'base')
if not m[1] then return {} end
return {
  epoch, m[1], hasDocument and redis.call('HGET', E .. 'm', 'document') or '',
  hasLogins and redis.call('HGETALL', E .. 'i') or redis.call('HLEN', E .. 'i'),
  m[2], wanted == 'readings' and redis.call('HGETALL', E .. 'r') or {},
  hasLogins and redis.call('HGETALL', E .. 'p') or {},
}
`

/*
 * Reads journal and coverage, incrementally.
 * cached run, times it was cleared, last request, last mark of a lost response, account for the coverage (empty: all)
 * → run, cleared, dropped, length of the journal, entries, marks, coverage, some logins
 */
const seen = `${common}
local epoch = redis.call('GET', P .. 'epoch')
if not epoch then return {} end
local run = redis.call('HGET', P .. epoch .. ':m', 'run')
local R = P .. run .. ':'
local o = redis.call('HMGET', R .. 'o', 'cleared', 'dropped')
local cleared = o[1] or '0'
local isSame = run == ARGV[1] and cleared == ARGV[2]
return {
  run, cleared, o[2] or '0', redis.call('XLEN', R .. 'j'),
  redis.call('XRANGE', R .. 'j', isSame and '(' .. ARGV[3] or '-', '+', 'COUNT', 1000),
  redis.call('XRANGE', R .. 'l', isSame and '(' .. ARGV[4] or '-', '+'),
  redis.call('HGETALL', R .. 'c' .. (ARGV[5] ~= '' and ':' .. ARGV[5] or '')),
  redis.call('HSCAN', P .. epoch .. ':i', 0, 'COUNT', 200)[2],
}
`

/** Marks a request whose response was lost. run, request, limit of the journal */
const lost = `${common}${writing}
if not epoch or redis.call('HGET', P .. epoch .. ':m', 'run') ~= ARGV[4] then return {'gone'} end
local reply = remember({'ok'})
if refused(reply) then return reply end
redis.call('XADD', P .. ARGV[4] .. ':l', 'MAXLEN', '=', ARGV[6], '*', 'i', ARGV[5])
return {'ok'}
`

/** Clears the journal. account (empty: all) */
const clear = `${common}${writing}
if not epoch then return {'epoch'} end
local run = P .. redis.call('HGET', P .. epoch .. ':m', 'run') .. ':'
local reply = remember({'ok'})
if refused(reply) then return reply end
if ARGV[4] ~= '' then forget(run, ARGV[4], false)
else
  redis.call('DEL', run .. 'j', run .. 'l')
  redis.call('HDEL', run .. 'o', 'dropped')
  redis.call('HINCRBY', run .. 'o', 'cleared', 1)
  tell('t', 'cleared')
end
return {'ok'}
`

/** Adds a snapshot. epoch, time, scenario, maximum → 'ok', id, discarded epochs; 'late': it was deleted meanwhile */
const keep = `${common}${writing}
if redis.call('EXISTS', P .. ARGV[4] .. ':m') == 0 then return {'late'} end
local id = 's' .. (tonumber(redis.call('GET', P .. 'snapshots:last') or 0) + 1)
local trash = {}
for i = 0, redis.call('LLEN', P .. 'snapshots') - ARGV[7] do
  trash[#trash + 1] = cjson.decode(redis.call('LINDEX', P .. 'snapshots', i)).epoch
end
local result = {'ok', id, trash}
local reply = remember(result)
if refused(reply) then return reply end
redis.call('INCR', P .. 'snapshots:last')
redis.call('RPUSH', P .. 'snapshots', cjson.encode({id = id, epoch = ARGV[4], time = ARGV[5], scenario = ARGV[6]}))
redis.call('LTRIM', P .. 'snapshots', -ARGV[7], -1)
redis.call('HDEL', P .. 'trash', ARGV[4])
for _, unneeded in ipairs(trash) do redis.call('HSET', P .. 'trash', unneeded, now) end
return result
`

/** → JSON of the snapshots, the previous state (`before`); nothing if there is no epoch */
const kept = `${common}
if redis.call('EXISTS', P .. 'epoch') == 0 then return {} end
return {redis.call('LRANGE', P .. 'snapshots', 0, -1), redis.call('HMGET', P .. 'before', 'epoch', 'time', 'scenario', 'only')}
`

/** Deletes idle accounts, up to 100 per call. idle time (ms) → how many */
const expire = `${common}${writing}
if not epoch then return 0 end
local E = P .. epoch .. ':'
local run = P .. redis.call('HGET', E .. 'm', 'run') .. ':'
local idle = redis.call('ZRANGEBYSCORE', E .. 'a', '-inf', now - ARGV[4], 'LIMIT', 0, 100)
for _, login in ipairs(idle) do
  drop(E, login)
  redis.call('DEL', run .. 'c:' .. login)
  redis.call('SREM', run .. 's', login)
  tell('t', 'gone', 'a', login)
end
return #idle
`

/** Enables events; expires unless repeated. new id → id of the current numbering, number of the last event */
const listen = `${common}
redis.call('SET', P .. 'listening', ARGV[1], 'NX')
redis.call('EXPIRE', P .. 'listening', 30)
redis.call('EXPIRE', P .. 'events', 60)
return {redis.call('GET', P .. 'listening'), tonumber(redis.call('GET', P .. 'events:last') or 0)}
`

/**
 * Deletes a part of a discarded epoch or run. An epoch's `m` goes first: without it, nobody takes the rest for a state.
 * epoch or run → how much is left
 */
const unlink = `${common}
if redis.call('HEXISTS', P .. 'trash', ARGV[1]) == 0 then return 0 end
local K = P .. ARGV[1] .. ':'
redis.call('UNLINK', K .. 'm')
local some = redis.call('HSCAN', K .. 'i', 0, 'COUNT', 500)[2]
for i = 1, #some, 2 do
  redis.call('UNLINK', K .. 'w:' .. some[i])
  redis.call('HDEL', K .. 'i', some[i])
end
for _, account in ipairs(redis.call('SPOP', K .. 's', 500)) do redis.call('UNLINK', K .. 'c:' .. account) end
local left = redis.call('HLEN', K .. 'i') + redis.call('SCARD', K .. 's')
if left > 0 then return left end
redis.call('UNLINK', K .. 'i', K .. 'r', K .. 'p', K .. 'a', K .. 'turns', K .. 'j', K .. 'l', K .. 'c', K .. 'o', K .. 'x')
redis.call('HDEL', P .. 'trash', ARGV[1])
return 0
`

/** For health and cleanup. → now, epoch, epochs that have been trash for ten minutes */
const look = `${common}
local trash, old = redis.call('HGETALL', P .. 'trash'), {}
for i = 1, #trash, 2 do if now - trash[i + 1] > 600000 then old[#old + 1] = trash[i] end end
return {now, redis.call('GET', P .. 'epoch'), old}
`

/** A number that no birth or era of a world had before */
const number = `${common}
return redis.call('INCR', P .. 'births')
`

/** run → number of its shared texts */
const room = `${common}
return redis.call('HLEN', P .. ARGV[1] .. ':x')
`

/** Reads shared texts. run, names → texts */
const texts = `${common}
return redis.call('HMGET', P .. ARGV[1] .. ':x', unpack(ARGV, 2))
`

export const scripts = {
  greet,
  commit,
  put,
  begin,
  write,
  swap,
  read,
  past,
  reach,
  index,
  seen,
  lost,
  clear,
  keep,
  kept,
  expire,
  listen,
  unlink,
  look,
  number,
  room,
  texts,
}

export type ScriptName = keyof typeof scripts
