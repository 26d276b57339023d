import {
  asText,
  checkOptions,
  checkScopes,
  type Fault,
  isOptions,
  readSchema,
  type Shapes,
} from '@waymark/contract/declaring';
import { isLibrarySchema } from '@waymark/contract/schema';
import { checkDrizzleTable } from '../drizzle/check-drizzle-table.ts';
import { type DrizzleTable, nameOf, viewTable } from '../drizzle/drizzle-table.ts';
import { fieldWords, isFieldType, toField } from '../fields/field.ts';
import type { SqlRuleFault } from '../sql-rules.ts';
import type { ResourceDeclaration, ResourceOptions, TableResourceOptions } from './resource.ts';

type Of<T> = Readonly<Record<Exclude<keyof T, 'declaredAt'>, Shapes[string]>>;

const bothShapes = {
  tools: 'boolean',
  createTable: 'boolean',
  // Looked at below.
  scopes: 'any',
  readScopes: 'any',
  writeScopes: 'any',
} as const;

const shapes: Of<ResourceOptions> = { table: 'text', primaryKey: 'text', ...bothShapes };

const tableShapes: Of<TableResourceOptions> = {
  name: 'text',
  omit: 'texts',
  fields: 'options',
  ...bothShapes,
};

/** Finds what is wrong with a resource, before its table is looked at. */
export function checkResource({ name, options }: ResourceDeclaration): readonly Fault[] {
  const { fields, given, drizzle } = options;
  const { scopes, readScopes, writeScopes } = given;
  const wellNamed = typeof name === 'string' && /^[\w-]{1,57}$/.test(name);
  return [
    ...(wellNamed ? [] : [nameFault(asText(name), drizzle)]),
    ...(drizzle ? checkTable(drizzle, fields, given) : checkDeclaredFields(name, fields, given)),
    ...checkLibraries(fields),
    ...[scopes, readScopes, writeScopes].flatMap((one) => (one === undefined ? [] : checkScopes(one))),
    ...(readScopes?.length && scopes === undefined && writeScopes === undefined ? [openToWriters] : []),
  ];
}

function checkDeclaredFields(
  name: unknown,
  fields: unknown,
  given: ResourceDeclaration['options']['given'],
): readonly Fault[] {
  return [
    ...checkOptions(given, shapes),
    ...checkTableName(typeof given.table === 'string' ? given.table : name),
    ...checkFields(fields),
    ...(isOptions(fields) ? checkKey(fields, given.primaryKey) : []),
  ];
}

function checkTable(
  drizzle: DrizzleTable,
  fields: unknown,
  given: ResourceDeclaration['options']['given'],
): readonly Fault[] {
  const { omit } = given;
  const served = Object.keys(viewTable(drizzle).columns).filter(
    (column) => !Array.isArray(omit) || !omit.includes(column),
  );
  return [
    ...checkOptions({ ...given, fields }, tableShapes),
    ...checkTableName(nameOf(drizzle)),
    ...checkFieldNames(served),
    ...checkFieldTypes(fields),
    ...checkDrizzleTable(drizzle, { fields, omit }),
  ];
}

function nameFault(name: string, drizzle: DrizzleTable | undefined): SqlRuleFault {
  return {
    code: 'resource-name',
    rule: `"${name}" is not 1 to 57 letters, digits, "_" or "-"`,
    fix: drizzle ? "write name: 'tickets'" : "write resource('tickets', { … })",
  };
}

function checkTableName(table: unknown): readonly SqlRuleFault[] {
  if (typeof table !== 'string') return [];
  const reserved = /^(?:sqlite_|svc_)/i.exec(table)?.[0];
  if (reserved === undefined && table !== '' && !table.includes('\0')) return [];
  const rule = `the table "${table}" ${reserved === undefined ? 'has no name' : `begins with ${reserved}`}`;
  return [{ code: 'resource-table', rule, fix: 'write another name as table' }];
}

const reservedNames = ['limit', 'offset', 'sort'];

function checkFields(fields: unknown): readonly SqlRuleFault[] {
  if (!isOptions(fields) || Object.keys(fields).length === 0)
    return [
      {
        code: 'resource-fields',
        rule: 'its fields are not a map of name to type',
        fix: "write { title: 'string' }",
      },
    ];
  const names = Object.entries(fields).flatMap(([name, type]) => (isFieldType(type) ? [name] : []));
  return [...checkFieldTypes(fields), ...checkFieldNames(names)];
}

function checkFieldTypes(fields: unknown): readonly SqlRuleFault[] {
  if (!isOptions(fields)) return [];
  return Object.entries(fields).flatMap(([name, type]): readonly SqlRuleFault[] =>
    isFieldType(type)
      ? []
      : [
          {
            code: 'resource-fields',
            rule: `the type of "${name}" is no schema and not one of ${fieldWords.join(', ')}`,
            fix: `write ${name}: 'string'`,
          },
        ],
  );
}

function checkFieldNames(names: readonly string[]): readonly SqlRuleFault[] {
  return names.flatMap((name, i): readonly SqlRuleFault[] => {
    const twin = names.slice(0, i).find((other) => other.toLowerCase() === name.toLowerCase());
    const rule = reservedNames.includes(name)
      ? `"${name}" is a word of every list`
      : twin !== undefined
        ? `SQL cannot tell the field "${name}" from "${twin}"`
        : /^[A-Za-z_]\w{0,63}$/.test(name) && name !== '__proto__'
          ? undefined
          : `"${name}" is no word of letters, digits and "_"`;
    return rule === undefined
      ? []
      : [{ code: 'resource-field-name', rule, fix: 'give the field another name' }];
  });
}

/** Finds schemas that could not be enforced, or that do not say what rows will show. */
function checkLibraries(fields: unknown): readonly Fault[] {
  if (!isOptions(fields)) return [];
  return Object.entries(fields).flatMap(([name, type]: readonly [string, unknown]) => {
    if (!isLibrarySchema(type)) return [];
    const { faults } = readSchema(type, 'input', `field "${name}"`);
    return faults.length > 0 ? faults : readSchema(type, 'output', `field "${name}"`).faults;
  });
}

function checkKey(fields: object, primaryKey: unknown = 'id'): readonly SqlRuleFault[] {
  if (typeof primaryKey !== 'string') return [];
  const [, type] = Object.entries(fields).find(([name]) => name === primaryKey) ?? [];
  const fault = (rule: string): readonly SqlRuleFault[] => [
    { code: 'resource-key', rule, fix: `write ${primaryKey}: 'string', or 'integer'` },
  ];
  if (type === undefined)
    return /^[A-Za-z_]\w{0,63}$/.test(primaryKey) && !reservedNames.includes(primaryKey)
      ? []
      : fault(`"${primaryKey}" is no name of a field`);
  if (!isFieldType(type)) return [];
  if (isLibrarySchema(type)) return fault(`its primary key "${primaryKey}" has the schema of a library`);
  const { kind, nullable, default: fallback } = toField(primaryKey, type);
  if (kind !== 'integer' && kind !== 'string') return fault(`its primary key "${primaryKey}" is ${kind}`);
  return nullable || fallback !== undefined ? fault(`its primary key "${primaryKey}" may be left out`) : [];
}

const openToWriters: SqlRuleFault = {
  code: 'resource-scopes',
  rule: 'reading asks for scopes, and anybody may write',
  fix: 'write writeScopes, or scopes for both; writeScopes: [] if that is meant',
};
