import { type Route, type RouteOptions, Type, toRoute, type Values } from '@waymark/contract';
import { type Awaitable, type EngineContext, RouteResponse } from '@waymark/contract/engine';
import { etag, ifMatch, ifNoneMatch, location, nextLink, unlessMatched } from '@waymark/contract/route';
import { answerRead } from '../answer-read.ts';
import { commitChange } from '../change.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { optionally, toRowSchema } from '../fields/field.ts';
import { defaultLimit, listRows, maxLimit } from './list-rows.ts';
import type { ResourceDeclaration } from './resource.ts';
import { byName, createInput, listInput } from './route-inputs.ts';
import { givenFields, type RowTable } from './row-table.ts';
import {
  changeStatements,
  deleteRow,
  insertStatements,
  noChange,
  rowResponse,
  selectRow,
  updateStatements,
  whereConditionsHold,
  writtenResponse,
} from './rows.ts';
import type { TableRules } from './table-rules.ts';

type Answer = (context: EngineContext, database: SqlDatabase) => Awaitable<RouteResponse>;

/** Makes the five routes of a resource. They answer nothing without a database. */
export function toResourceRoutes(
  { options, declaredAt }: ResourceDeclaration,
  rowTable: RowTable,
  rules: TableRules,
  database: SqlDatabase | undefined,
): readonly Route[] {
  const { tools = false, scopes = [], readScopes = scopes, writeScopes = scopes } = options.given;
  const { name, key, fields } = rowTable;
  const row = toRowSchema(fields);
  const one = `/${name}/{${key.name}}`;
  const id = { [key.name]: key.schema };
  const others = fields.filter((field) => field !== key && !field.column?.isComputed);
  const read = (answer: Answer) => ({
    kind: 'resource' as const,
    ...(database && { answer: (context: EngineContext) => answer(context, database) }),
  });
  const write = (answer: Answer) => ({ ...read(answer), durability: 'transaction' as const });
  const reading = (verb: string, summary: string): RouteOptions => ({
    tool: tools,
    toolName: `${verb}_${name}`,
    summary,
    scopes: readScopes,
    declaredAt,
  });
  // One process writes.
  const writing = (verb: string, summary: string): RouteOptions => ({
    ...reading(verb, summary),
    scopes: writeScopes,
    placement: 'owner',
  });
  return [
    toRoute('GET', `/${name}`, read(answerList(rowTable)), {
      ...reading('list', `Lists rows of ${name}: ${listHelp}`),
      strictQuery: true,
      input: listInput(fields),
      output: Type.Array(row),
      facts: { sends: nextLink },
    }),
    toRoute('GET', one, read(answerGet(rowTable)), {
      ...reading('get', `Gives one row of ${name}.`),
      input: id,
      output: row,
      facts: { reads: ifNoneMatch, sends: etag },
    }),
    toRoute('POST', `/${name}`, write(answerCreate(rowTable, rules)), {
      ...writing('create', `Creates a row of ${name}.`),
      input: createInput(givenFields(rowTable)),
      output: { 201: row },
      facts: { fails: [409], sends: { ...location, ...etag } },
    }),
    toRoute('PATCH', one, write(answerUpdate(rowTable, rules)), {
      ...writing('update', `Changes the given fields of one row of ${name}.`),
      input: { ...id, ...byName(others, ({ schema }) => optionally(schema)) },
      output: row,
      facts: { fails: [409, 412], reads: { ...ifMatch, ...unlessMatched }, sends: etag },
    }),
    toRoute('DELETE', one, write(answerDelete(rowTable, rules)), {
      ...writing('delete', `Deletes one row of ${name}.`),
      input: id,
      output: { 204: Type.Null() },
      facts: { fails: [409, 412], reads: { ...ifMatch, ...unlessMatched } },
    }),
  ];
}

const listHelp = `filters by equality with any field; sort=field,-field; limit ${defaultLimit}, at most ${maxLimit}; offset.`;

function answerList(rowTable: RowTable): Answer {
  return (context, database) => listRows(rowTable, database, context);
}

function answerGet(rowTable: RowTable): Answer {
  return (context, database) => {
    const id = keyOf(rowTable, context.input);
    return answerRead(database, context, selectRow(rowTable, id), (result) =>
      rowResponse(rowTable, id, result),
    );
  };
}

function answerCreate(rowTable: RowTable, rules: TableRules): Answer {
  const { name, key } = rowTable;
  return (context, database) =>
    commitChange(database, context, {
      statements: insertStatements(rowTable, rules, context.input),
      answer: (results) =>
        writtenResponse(rowTable, undefined, results, 201, (row) => ({
          location: `/${name}/${encodeURIComponent(String(row[key.name]))}`,
        })),
    });
}

function answerUpdate(rowTable: RowTable, rules: TableRules): Answer {
  return (context, database) => {
    const { input, request } = context;
    const id = keyOf(rowTable, input);
    return commitChange(database, context, {
      statements: updateStatements(rowTable, rules, id, input),
      answer: (results) => writtenResponse(rowTable, id, results),
      ...whereConditionsHold(rowTable, id, request.headers),
    });
  };
}

function answerDelete(rowTable: RowTable, rules: TableRules): Answer {
  return (context, database) => {
    const { input, request } = context;
    const id = keyOf(rowTable, input);
    return commitChange(database, context, {
      statements: changeStatements(rowTable, rules, id, deleteRow(rowTable, id)),
      answer([result, standing]) {
        if (!result?.affected) throw noChange(rowTable, id, standing);
        return gone;
      },
      ...whereConditionsHold(rowTable, id, request.headers),
    });
  };
}

const gone = new RouteResponse(204, { kind: 'empty' });

function keyOf({ key }: RowTable, input: Values): unknown {
  return input[key.name];
}
