import type { Migration } from '../database/migrate.ts';

// Without drizzle, which takes a third of a second to load: a file without stores on it does not wait for that.
// The tables of memories are `svc_<name>`. Ours have a second underscore, and no memory's name may begin with one.

/** The way to our own tables. A released step never changes; a change is a new step at the end. */
export const migrations: readonly Migration[] = [
  [
    `create table svc__audit (
      n integer primary key, id text not null, kind text not null, run_id text, record text not null) strict`,
    'create unique index svc__audit_id on svc__audit (id)',
    'create index svc__audit_kind on svc__audit (kind, id)',
    'create index svc__audit_run on svc__audit (run_id, id) where run_id is not null',
    `create table svc__insight (
      n integer primary key, device text not null, run_id text not null, status text not null,
      insight text not null) strict`,
    'create index svc__insight_device on svc__insight (device, n)',
    `create unique index svc__insight_run on svc__insight (device, run_id, status) where run_id <> ''`,
    `create table svc__outbox (
      n integer primary key, id text not null, due_ms integer not null, attempts integer not null default 0,
      delivery text not null) strict`,
    'create unique index svc__outbox_id on svc__outbox (id)',
    `create table svc__lease (
      key text primary key, holder text not null, fence integer not null, ends_ms integer not null) strict, without rowid`,
    'create index svc__lease_end on svc__lease (ends_ms)',
    'create table svc__fence (last integer not null) strict',
    'insert into svc__fence (last) values (0)',
    `create table svc__use (
      n integer primary key, key text not null, at_ms integer not null, ends_ms integer not null) strict`,
    'create index svc__use_key on svc__use (key, at_ms)',
    'create index svc__use_end on svc__use (ends_ms)',
    `create table svc__spend (
      n integer primary key, at_ms integer not null, caller text not null, model text not null, provider text not null,
      input_tokens integer not null, output_tokens integer not null,
      cache_read_tokens integer not null, cache_write_tokens integer not null,
      cost_micros integer, estimated integer not null) strict`,
    'create index svc__spend_at on svc__spend (at_ms)',
  ],
];
