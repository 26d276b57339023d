import type { Delivery, DeliveryLine, KeptDelivery, Outbox } from '@waymark/contract/stores';
import type { SQL } from 'drizzle-orm';
import { sql } from '../database/drizzle-orm.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { Drizzle } from '../database/to-drizzle.ts';
import { limitsOf, type SqlOutboxOptions } from './outbox-limits.ts';
import {
  choose,
  deleteOld,
  deleteOldLines,
  giveUpWaiting,
  insertDelivery,
  liftStop,
  putCondition,
  redeliverable,
  releaseWaiting,
  selectKept,
  selectLines,
  selectSoonest,
  settleDelivery,
  trimAll,
  trimDelivered,
  trimEndpoint,
} from './outbox-statements.ts';

/** Keeps deliveries in the database, as `Outbox` says. */
export function sqlOutbox(database: SqlDatabase, options: SqlOutboxOptions = {}): Outbox {
  const { keepDelivered = 100 } = options;
  return {
    async add(delivery, atMs) {
      const { id, endpoint } = delivery;
      const { keep, keepPerEndpoint } = limitsOf(options);
      await database.write([
        { sql: insertDelivery, args: { id, endpoint, at: atMs, delivery: JSON.stringify(delivery) } },
        { sql: trimEndpoint, args: { endpoint, keep: keepPerEndpoint } },
        { sql: trimAll, args: { keep } },
      ]);
    },
    async lines() {
      const rows = (await database.many(selectLines)) as readonly LineRow[];
      return rows.map(({ stopped, ...line }) => ({ ...line, stopped: stopped === 1 }));
    },
    async soonest() {
      return (await database.many(selectSoonest)) as readonly { endpoint: string; dueMs: number }[];
    },
    async next(choices, nowMs) {
      if (choices.length === 0) return [];
      const rows = await database.many(choose, { choices: JSON.stringify(choices), now: nowMs });
      return (rows as readonly KeptRow[]).map(toKept);
    },
    async settle({ id, endpoint }, { state, atMs, dueMs, status, error }, condition) {
      const { failures, pausedUntilMs, stopped } = condition;
      await database.write([
        { sql: settleDelivery, args: { id, state, at: atMs, due: dueMs, status, error } },
        {
          sql: putCondition,
          args: { endpoint, failures, paused: pausedUntilMs, stopped, status, error, at: atMs },
        },
        { sql: trimDelivered, args: { endpoint, keep: keepDelivered } },
      ]);
    },
    async release(endpoint, statuses, nowMs) {
      const args = { endpoint, statuses: JSON.stringify(statuses), now: nowMs };
      await database.write([{ sql: releaseWaiting, args }]);
    },
    async giveUp(endpoint, error, sinceMs = Number.MAX_SAFE_INTEGER) {
      await database.write([{ sql: giveUpWaiting, args: { endpoint, error, since: sinceMs } }]);
    },
    async redeliver(endpoint, nowMs, id) {
      const [lifted, redelivered] = await database.write([
        { sql: liftStop, args: { endpoint, id: id ?? null } },
        { sql: redeliverable, args: { endpoint, id: id ?? null, now: nowMs } },
      ]);
      return lifted ? (redelivered?.affected ?? 0) : 0;
    },
    async kept(endpoint, limit) {
      return ((await database.many(selectKept, { endpoint, limit })) as readonly KeptRow[]).map(toKept);
    },
    async prune(beforeMs, endpoints) {
      const args = { before: beforeMs, endpoints: JSON.stringify(endpoints) };
      await database.write([
        { sql: deleteOld, args },
        { sql: deleteOldLines, args: { before: beforeMs } },
      ]);
    },
  };
}

/**
 * The statements that add a delivery, for the commit it belongs to. `when` is asked right before.
 *
 * @internal
 */
export function addDelivery(
  drizzle: Drizzle,
  delivery: Delivery,
  dueMs: number,
  { when = sql`true`, ...options }: SqlOutboxOptions & { readonly when?: SQL },
) {
  const { id, endpoint } = delivery;
  const { keep, keepPerEndpoint } = limitsOf(options);
  return [
    drizzle.run(sql`insert into svc__outbox (id, endpoint, added_ms, since_ms, due_ms, delivery)
      select ${id}, ${endpoint}, ${dueMs}, ${dueMs}, ${dueMs}, ${JSON.stringify(delivery)} where ${when}
      on conflict (id) do nothing`),
    drizzle.run(sql`delete from svc__outbox
      where n = (select n from svc__outbox where endpoint = ${endpoint} and state > 'delivered' order by state, n limit 1)
        and (select waiting + failed from svc__outbox_line where endpoint = ${endpoint}) > ${keepPerEndpoint}`),
    drizzle.run(sql`delete from svc__outbox
      where n = (select n from svc__outbox where state > 'delivered'
        and endpoint = (select endpoint from svc__outbox_line order by waiting + failed desc limit 1)
        order by state, n limit 1)
        and (select sum(waiting + failed) from svc__outbox_line) > ${keep}`),
  ] as const;
}

type LineRow = Omit<DeliveryLine, 'stopped'> & { readonly stopped: number };
type KeptRow = Omit<KeptDelivery, keyof Delivery> & { readonly delivery: string };

function toKept({ delivery, ...rest }: KeptRow): KeptDelivery {
  return { ...(JSON.parse(delivery) as Delivery), ...rest };
}
