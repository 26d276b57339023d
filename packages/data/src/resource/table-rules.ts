import type { SqlDatabase } from '../database/sql-database.ts';
import { type Rowid, rowidOf } from '../rowid-of.ts';

/**
 * What a table does by itself with what is written to it. Where it does anything, a write reads once more, in its commit,
 * what stands then: the rows of `RETURNING` are those before triggers. Other tables do not pay for it.
 *
 * It is looked up once, at the start: migrations come before.
 */
export class TableRules {
  #interferes = false;
  #computed: ReadonlySet<string> = new Set();
  #rowid: Rowid | undefined;

  /** Whether a row may end up other than it was written, or a write be ignored. */
  get interferes(): boolean {
    return this.#interferes;
  }

  /** Columns that the database computes, in small letters: nobody may give them. */
  get computed(): ReadonlySet<string> {
    return this.#computed;
  }

  /** What rows are numbered by, in SQL; undefined where they are not. */
  get rowid(): string | undefined {
    return this.#rowid?.name;
  }

  /** Looks at a table, once it is there. */
  async look(table: string, database: Pick<SqlDatabase, 'many'>): Promise<void> {
    const found = await database.many(rules, [table, table, table, table]);
    this.#interferes = found.length > 0;
    const computed = await database.many(
      'select lower(name) as name from pragma_table_xinfo(?) where hidden > 1',
      [table],
    );
    this.#computed = new Set(computed.map(({ name }) => String(name)));
    if (this.#interferes) this.#rowid = await rowidOf(table, database);
  }
}

/** Triggers, constraints that ignore what breaks them, and keys by which a row changes with another. */
const rules = `
  select 1 as found from sqlite_schema where type = 'trigger' and tbl_name = ? collate nocase
  union all select 1 from sqlite_temp_schema where type = 'trigger' and tbl_name = ? collate nocase
  union all select 1 from sqlite_schema where type = 'table' and name = ? collate nocase and sql like '%conflict%ignore%'
  union all select 1 from sqlite_schema as t, pragma_foreign_key_list(t.name) as k where t.type = 'table'
    and k."table" = ? collate nocase and k.on_update not in ('NO ACTION', 'RESTRICT') and k."to" is not null
    and not exists (select 1 from pragma_table_info(k."table") as c where c.pk > 0 and c.name = k."to" collate nocase)
  limit 1`;
