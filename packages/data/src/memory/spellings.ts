import { nearest } from '@waymark/contract/declaring';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { Statement } from '../database/sql-transaction.ts';
import type { MemoryTables } from './memory-tables.ts';
import { ownerMark } from './owner-mark.ts';
import { toTrigrams } from './words.ts';

/** A word of an owner, as it is written. */
export interface Spelling {
  readonly word: string;
  /** Entries that have it. */
  readonly entries: number;
}

/** Words in which three letters in a row are counted; more say nothing. */
const maxCounted = 500;

/** Words that one search finds by three letters in a row, the rarest of these first; one counts again for each. */
const maxCompared = 500;

/** Words that are compared letter by letter. */
const maxCandidates = 32;

/** Statements that count the different words of a new entry. */
export function learnWords(
  { spellings, trigrams }: MemoryTables,
  owner: string,
  words: readonly string[],
): readonly Statement[] {
  const mark = ownerMark(owner);
  const learnt = JSON.stringify(words.map((word) => [word, partsOf(word, mark).join(' ')]));
  return [
    {
      sql: `insert into ${spellings} (owner, word, entries)
        select ?, value ->> 0, 1 from json_each(?) where true
        on conflict (owner, word) do update set entries = entries + 1`,
      args: [owner, learnt],
    },
    {
      // Of those that nobody had counted.
      sql: `insert into ${trigrams} (rowid, trigrams)
        select spelling.n, learnt.value ->> 1 from json_each(?) as learnt
          cross join ${spellings} as spelling on spelling.owner = ? and spelling.word = learnt.value ->> 0
        where spelling.entries = 1 and learnt.value ->> 1 <> ''`,
      args: [learnt, owner],
    },
  ];
}

/** Statements that take back what `learnWords` counted for an entry, if it was there. */
export function unlearnWords(
  { numbers, spellings, trigrams }: MemoryTables,
  owner: string,
  key: string,
): readonly Statement[] {
  const words = `select value from json_each((select words from ${numbers} where owner = :owner and key = :key))`;
  const unused = `owner = :owner and word in (${words}) and entries = 0`;
  const args = { owner, key };
  return [
    {
      sql: `update ${spellings} set entries = entries - 1 where owner = :owner and word in (${words})`,
      args,
    },
    { sql: `delete from ${trigrams} where rowid in (select n from ${spellings} where ${unused})`, args },
    { sql: `delete from ${spellings} where ${unused}`, args },
  ];
}

/**
 * The words of an owner that are spelt almost like those asked for: two slips, one where a word has less than six
 * characters, none below four. Of three letters in a row the rarest are looked up, up to a bound.
 */
export async function findSpellings(
  database: SqlDatabase,
  { spellings, trigrams }: MemoryTables,
  owner: string,
  words: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly Spelling[]> {
  const asked = words.filter((word) => lengthOf(word) >= 4 && !digit.test(word));
  if (asked.length === 0) return [];
  const mark = ownerMark(owner);
  const rows = await database.many(
    `with part as materialized (
        select asked.key as i, part.value as trigram,
          (select count(*) from (
            select 1 from ${trigrams} where ${trigrams} match part.value limit ${maxCounted})) as size
        from json_each(:asked) as asked cross join json_each(asked.value) as part
      ), rare as materialized (
        select i, trigram, sum(size) over (partition by i order by size rows unbounded preceding) as total from part
      ), compared as materialized (
        select rare.i, ${trigrams}.rowid as n, count(*) as shared
        from rare cross join ${trigrams} on ${trigrams} match rare.trigram
        where rare.total <= :compared
        group by 1, 2
      ), placed as (
        select i, n, row_number() over (partition by i order by shared desc) as place from compared
      )
      select placed.i, spelling.word, spelling.entries
      from placed cross join ${spellings} as spelling on spelling.n = placed.n and spelling.owner = :owner
      where placed.place <= ${maxCandidates}
      order by placed.i, placed.place`,
    {
      owner,
      asked: JSON.stringify(asked.map((word) => partsOf(word, mark).map((part) => `"${part}"`))),
      compared: Math.floor(maxCompared / asked.length),
    },
    signal,
  );
  return asked.flatMap((word, i) => {
    const known = new Map(
      rows.filter((row) => row['i'] === i).map((row) => [String(row['word']), Number(row['entries'])]),
    );
    const meant = nearest(word, known.keys(), lengthOf(word) < 6 ? 1 : 2);
    return meant === undefined ? [] : [{ word: meant, entries: known.get(meant) ?? 0 }];
  });
}

/** Nothing is near to a number. */
function partsOf(word: string, mark: string): readonly string[] {
  return digit.test(word) ? [] : toTrigrams([word]).map((part) => mark + part);
}

const digit = /\p{N}/u;

function lengthOf(word: string): number {
  return Array.from(word).length;
}
