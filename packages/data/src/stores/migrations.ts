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
  [
    // The id of a child is `<parent>.<seq>`: the tree of a root is a range of ids, and needs no index of its own.
    `create table svc__run (
      n integer primary key, id text not null, root_id text not null, parent_id text, status text not null,
      epoch integer not null, owner text, lease_until_ms integer, last_ord integer not null default 0,
      wakes integer not null default 0, attempts integer not null default 0,
      kind text not null, name text not null, depth integer not null, principal_root text not null,
      session text, idempotency_key text, created_ms integer not null, ended_ms integer,
      route text, via text, principal text not null, spec text not null, definition text,
      input text not null, output text, error text) strict`,
    'create unique index svc__run_id on svc__run (id)',
    'create index svc__run_root on svc__run (id) where parent_id is null',
    'create index svc__run_status on svc__run (status, id) where parent_id is null',
    'create index svc__run_end on svc__run (ended_ms) where parent_id is null and ended_ms is not null',
    `create unique index svc__run_idempotency on svc__run (idempotency_key, principal_root, route)
      where idempotency_key is not null`,
    // In the order they come: the steps of many runs that are stored together stand together.
    `create table svc__op (
      run_id text not null, seq integer not null, kind text not null, name text not null, fp text not null,
      state text not null, ord integer, tree_tokens integer not null, started_ms integer not null, ended_ms integer,
      spend text, input text not null, value text not null, primary key (run_id, seq)) strict`,
    `create table svc__approval (
      n integer primary key, id text not null, run_id text not null, seq integer not null, count integer not null,
      root_id text not null, status text not null, kind text not null, agent text not null, path text not null,
      caller text not null, tool text not null, args_hash text not null, reason text, note text not null,
      decided_by text, requested_ord integer not null, decided_ord integer,
      requested_ms integer not null, decided_ms integer, expires_ms integer not null, arguments text not null) strict`,
    'create unique index svc__approval_id on svc__approval (id)',
    'create unique index svc__approval_step on svc__approval (run_id, seq, count)',
    'create index svc__approval_status on svc__approval (status, id)',
    `create index svc__approval_expiry on svc__approval (expires_ms) where status = 'pending'`,
    `create table svc__session (
      id integer primary key, key text not null, holder_run text, from_n integer not null, upto_n integer not null,
      touched_ms integer not null) strict`,
    'create unique index svc__session_key on svc__session (key)',
    'create index svc__session_idle on svc__session (touched_ms) where holder_run is null',
    `create table svc__session_message (
      session integer not null, n integer not null, message text not null, primary key (session, n)) strict`,
    'create table svc__blob (holder text not null, hash text not null, bytes blob not null, primary key (holder, hash)) strict',
    // A session takes its messages along, and a message what is too large to stand in it.
    `create trigger svc__session_gone after delete on svc__session begin
      delete from svc__session_message where session = old.id;
    end`,
    `create trigger svc__session_message_gone after delete on svc__session_message begin
      delete from svc__blob where holder = 'session:' || old.session || ':' || old.n;
    end`,
  ],
  [
    // Steps in the order in which they came to an end, over the whole tree of a root, whose id is what stands before a dot.
    `create index svc__op_ord on svc__op (substr(run_id, 1, instr(run_id || '.', '.') - 1), ord) where ord is not null`,
  ],
  [
    // A root that the service could not work on is not taken before its time.
    'alter table svc__run add column not_before_ms integer not null default 0',
    'alter table svc__run add column pause_ms integer not null default 0',
    'alter table svc__run add column input_hash text',
  ],
  [
    // Steps that are tried again later. The id is `<run>.<seq>`; what a kind of wait has besides is JSON.
    `create table svc__wait (
      id text primary key, root_id text not null, run_id text not null, seq integer not null, kind text not null,
      agent text not null, attempts integer not null, since_ms integer not null, due_ms integer not null,
      give_up_ms integer not null, about text not null) strict, without rowid`,
    'create index svc__wait_due on svc__wait (due_ms)',
    // A wait goes with its step, and with the end of its run and of those above.
    `create trigger svc__wait_settled after update of state on svc__op when old.state = 'waiting' and new.state <> 'waiting'
    begin
      delete from svc__wait where id = new.run_id || '.' || new.seq;
    end`,
    `create trigger svc__wait_left after update of ended_ms on svc__run when new.ended_ms is not null begin
      delete from svc__wait where id > new.id || '.' and id < new.id || '/';
    end`,
  ],
  [
    // Calls of models under way, by what they are counted as when nothing more is heard of them.
    'alter table svc__op add column begun text',
    'create index svc__op_begun on svc__op (run_id) where begun is not null',
  ],
  [
    // Of a root that is retried: results up to this number may be undone.
    'alter table svc__run add column retry_ord integer not null default 0',
  ],
  [
    // Whose a session is. One of an earlier release is nobody's until its next turn.
    `alter table svc__session add column owner text not null default ''`,
    'create index svc__session_owner on svc__session (owner, touched_ms)',
  ],
  [
    // Bytes of the runs of each principal. A root is counted as its tree was when it came to rest last, until it is deleted;
    // one that rested before this step is not.
    `create table svc__kept (owner text primary key, bytes integer not null) strict, without rowid`,
    'alter table svc__run add column bytes integer not null default 0',
    'create index svc__run_owner on svc__run (principal_root, ended_ms) where parent_id is null and ended_ms is not null',
    `create trigger svc__run_counted after update of bytes on svc__run when new.bytes <> old.bytes begin
      insert into svc__kept (owner, bytes) values (new.principal_root, new.bytes - old.bytes)
        on conflict (owner) do update set bytes = bytes + excluded.bytes;
    end`,
    `create trigger svc__run_uncounted after delete on svc__run when old.bytes > 0 begin
      update svc__kept set bytes = bytes - old.bytes where owner = old.principal_root;
      delete from svc__kept where owner = old.principal_root and bytes <= 0;
    end`,
  ],
  [
    // A line for each endpoint. What was stored before names none, and nobody ever sent it.
    'drop table svc__outbox',
    `create table svc__outbox (
      n integer primary key, id text not null, endpoint text not null, state text not null default 'waiting',
      attempts integer not null default 0, added_ms integer not null, since_ms integer not null, due_ms integer not null,
      tried_ms integer, status integer, error text, delivery text not null) strict`,
    'create unique index svc__outbox_id on svc__outbox (id)',
    // Those that were given up stand before those that wait, as they go first.
    'create index svc__outbox_line_state on svc__outbox (endpoint, state)',
    `create table svc__outbox_line (
      endpoint text primary key, waiting integer not null default 0, failed integer not null default 0,
      delivered integer not null default 0, dropped integer not null default 0, failures integer not null default 0,
      paused_ms integer, stopped integer not null default 0, last_status integer, last_error text, last_ms integer
    ) strict, without rowid`,
    `create trigger svc__outbox_added after insert on svc__outbox begin
      insert into svc__outbox_line (endpoint, waiting) values (new.endpoint, 1)
        on conflict (endpoint) do update set waiting = waiting + 1;
    end`,
    `create trigger svc__outbox_moved after update of state on svc__outbox when new.state <> old.state begin
      update svc__outbox_line set waiting = waiting + (new.state = 'waiting') - (old.state = 'waiting'),
        failed = failed + (new.state = 'failed') - (old.state = 'failed'),
        delivered = delivered + (new.state = 'delivered')
      where endpoint = new.endpoint;
    end`,
    `create trigger svc__outbox_gone after delete on svc__outbox begin
      update svc__outbox_line set waiting = waiting - (old.state = 'waiting'), failed = failed - (old.state = 'failed'),
        dropped = dropped + (old.state = 'waiting')
      where endpoint = old.endpoint;
    end`,
  ],
  [
    // One insight of each run, the one that came last, and the picture it is about.
    `delete from svc__insight where run_id <> '' and n < (select max(n) from svc__insight other
      where other.device = svc__insight.device and other.run_id = svc__insight.run_id)`,
    `update svc__insight set insight = json_set(insight, '$.cost_micros', null)`,
    'drop index svc__insight_run',
    `create unique index svc__insight_run on svc__insight (device, run_id) where run_id <> ''`,
    `create table svc__evidence (
      n integer primary key, device text not null, run_id text not null, media_type text not null, token text not null,
      bytes blob not null) strict`,
    'create unique index svc__evidence_run on svc__evidence (device, run_id)',
  ],
  [
    // What the caller of a root wants to find again, and how it stood when its caller last saw to it. Those in the index are to
    // be seen to.
    'alter table svc__run add column memo text',
    'alter table svc__run add column acknowledged text',
    'create index svc__run_memo on svc__run (id) where memo is not null and acknowledged is not status',
  ],
  [
    // What each root principal began last, seen to or not.
    'create index svc__run_newest_memo on svc__run (principal_root, id) where memo is not null',
  ],
  [
    // Numbered migrations of the application that were applied. Two that apply the same one meet at its number.
    `create table svc__migration (
      n integer primary key, name text not null unique, sha256 text not null, applied_ms integer not null) strict`,
  ],
  [
    // The root principals that forked or retried a root, or one that it is a fork of. Who did it before this step is known as
    // far as the audit log is kept.
    `alter table svc__run add column movers text not null default '[]'`,
    `update svc__run set movers = (
        with recursive origin(id) as (select svc__run.id
          union select record ->> '$.from' from svc__audit join origin on run_id = origin.id where kind = 'run_forked')
        select json_group_array(distinct record ->> '$.by') from svc__audit join origin on run_id = origin.id
          where kind in ('run_forked', 'run_retried'))
      where id in (select run_id from svc__audit where kind in ('run_forked', 'run_retried'))`,
  ],
  [
    // Processes in the order of their starts, those of one boot with the number of the first. Of a root: the newest that took
    // it, and the newest that left it to a newer one.
    'create table svc__holder (n integer primary key, id text not null, boot text not null, start integer not null) strict',
    'create unique index svc__holder_id on svc__holder (id)',
    'alter table svc__run add column newest integer not null default 0',
    'alter table svc__run add column left_by integer not null default -1',
  ],
  [
    // The sessions of browsers that were ended. The audit log, which told of them until now, of as many, gives up its oldest records. What
    // an older release ends beside this one is heard of through it; our own it tells of later, when a line may stand for several.
    `create table svc__ended_session (
      n integer primary key, id text not null, holder text not null, issued_ms integer not null,
      expires_ms integer not null) strict`,
    `create unique index svc__ended_session_id on svc__ended_session (id) where id <> ''`,
    'create index svc__ended_session_holder on svc__ended_session (holder, issued_ms)',
    `insert into svc__ended_session (id, holder, issued_ms, expires_ms)
      select record ->> '$.session', record ->> '$.holder', record ->> '$.issued_at_ms', record ->> '$.expires_at_ms'
        from svc__audit where kind = 'session_ended' and record ->> '$.session' is not null
          and record ->> '$.holder' is not null and record ->> '$.issued_at_ms' is not null
          and record ->> '$.expires_at_ms' is not null
        order by n desc limit 10000 on conflict do nothing`,
    `create trigger svc__session_ended after insert on svc__audit when new.kind = 'session_ended' begin
      insert into svc__ended_session (id, holder, issued_ms, expires_ms)
        select new.record ->> '$.session', new.record ->> '$.holder', new.record ->> '$.issued_at_ms',
          new.record ->> '$.expires_at_ms'
          where new.record ->> '$.session' is not null and new.record ->> '$.holder' is not null
            and new.record ->> '$.issued_at_ms' is not null and new.record ->> '$.expires_at_ms' is not null
            and not exists (select 1 from svc__ended_session
              where id = '' and holder in ('', new.record ->> '$.holder') and issued_ms >= new.record ->> '$.issued_at_ms')
        on conflict do nothing;
    end`,
  ],
];
