// Prepared once each: a sender asks for what is due all the time. How many of a line wait or failed is counted by triggers.

export const insertDelivery = `insert into svc__outbox (id, endpoint, added_ms, since_ms, due_ms, delivery)
  values (:id, :endpoint, :at, :at, :at, :delivery) on conflict (id) do nothing`;

/** The one that goes first for newer ones: of those given up the oldest, else of those that wait. */
export const trimEndpoint = `delete from svc__outbox
  where n = (select n from svc__outbox where endpoint = :endpoint and state > 'delivered' order by state, n limit 1)
    and (select waiting + failed from svc__outbox_line where endpoint = :endpoint) > :keep`;

/** Room is taken from the line that has the most. */
export const trimAll = `delete from svc__outbox
  where n = (select n from svc__outbox where state > 'delivered'
    and endpoint = (select endpoint from svc__outbox_line order by waiting + failed desc limit 1)
    order by state, n limit 1)
  and (select sum(waiting + failed) from svc__outbox_line) > :keep`;

export const trimDelivered = `delete from svc__outbox where endpoint = :endpoint and state = 'delivered'
  and n <= (select n from svc__outbox where endpoint = :endpoint and state = 'delivered'
    order by n desc limit 1 offset :keep)`;

export const selectLines = `select endpoint, waiting, failed, delivered, dropped, failures, paused_ms as pausedUntilMs,
    stopped, last_status as lastStatus, last_error as lastError, last_ms as lastAtMs
  from svc__outbox_line order by endpoint`;

export const selectSoonest = `select endpoint, min(due_ms) as dueMs from svc__outbox where state = 'waiting'
  group by endpoint`;

const columns = `o.delivery, o.state, o.attempts, o.added_ms as addedMs, o.since_ms as sinceMs, o.due_ms as dueMs,
  o.tried_ms as triedMs, o.status, o.error`;

const waitingOf = `select n from svc__outbox where state = 'waiting' and endpoint = c.value ->> 'endpoint'`;

export const choose = `select ${columns} from json_each(:choices) c join svc__outbox o on o.n =
  case c.value ->> 'by'
    when 'due' then (${waitingOf} and (attempts = 0 or due_ms <= :now or tried_ms > :now) order by n limit 1)
    when 'oldest' then (${waitingOf} order by n limit 1)
    else (${waitingOf} order by attempts, n limit 1)
  end`;

export const selectKept = `select ${columns} from svc__outbox o where endpoint = :endpoint order by n desc limit :limit`;

export const settleDelivery = `update svc__outbox set state = :state, attempts = attempts + 1, tried_ms = :at,
  due_ms = :due, status = :status, error = :error where id = :id and state = 'waiting'`;

export const putCondition = `insert into svc__outbox_line
    (endpoint, failures, paused_ms, stopped, last_status, last_error, last_ms)
  values (:endpoint, :failures, :paused, :stopped, :status, :error, :at)
  on conflict (endpoint) do update set failures = excluded.failures, paused_ms = excluded.paused_ms,
    stopped = excluded.stopped, last_status = excluded.last_status, last_error = excluded.last_error,
    last_ms = excluded.last_ms`;

export const releaseWaiting = `update svc__outbox set due_ms = :now
  where endpoint = :endpoint and state = 'waiting' and attempts > 0
    and (status is null or status in (select value from json_each(:statuses)))`;

export const giveUpWaiting = `update svc__outbox set state = 'failed', error = :error
  where endpoint = :endpoint and state = 'waiting' and since_ms <= :since`;

const chosen = `endpoint = :endpoint and case when :id is null then state > 'delivered' else id = :id end`;

export const liftStop = `update svc__outbox_line set failures = 0, paused_ms = null, stopped = 0
  where endpoint = :endpoint and (:id is null or exists (select 1 from svc__outbox where ${chosen}))`;

export const redeliverable = `update svc__outbox set state = 'waiting', attempts = 0, due_ms = :now, since_ms = :now
  where ${chosen}`;

export const deleteOld = `delete from svc__outbox
  where case state
    when 'waiting' then since_ms < :before and endpoint not in (select value from json_each(:endpoints))
    else coalesce(tried_ms, added_ms) < :before
  end`;

export const deleteOldLines = `delete from svc__outbox_line
  where stopped = 0 and coalesce(last_ms, 0) < :before
    and not exists (select 1 from svc__outbox o where o.endpoint = svc__outbox_line.endpoint)`;
