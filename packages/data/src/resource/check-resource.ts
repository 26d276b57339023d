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
import { fieldWords, isFieldType, toField } from '../fields/field.ts';
import type { SqlRuleFault } from '../sql-rules.ts';
import type { ResourceDeclaration, ResourceOptions } from './resource.ts';

const shapes: Readonly<Record<Exclude<keyof ResourceOptions, 'declaredAt'>, Shapes[string]>> = {
  ...{ table: 'text', primaryKey: 'text' },
  ...{ tools: 'boolean', createTable: 'boolean' },
  // Looked at below.
  ...{ scopes: 'any', readScopes: 'any', writeScopes: 'any' },
};

/** Finds what is wrong with a resource, before its table is looked at. */
export function checkResource({ name, options }: ResourceDeclaration): readonly Fault[] {
  const { fields, given } = options;
  const { scopes, readScopes, writeScopes } = given;
  return [
    ...checkOptions(given, shapes),
    ...(typeof name === 'string' && /^[\w-]{1,57}$/.test(name) ? [] : [nameFault(asText(name))]),
    ...checkTableName(typeof given.table === 'string' ? given.table : name),
    ...checkFields(fields),
    ...checkLibraries(fields),
    ...(isOptions(fields) ? checkKey(fields, given.primaryKey) : []),
    ...[scopes, readScopes, writeScopes].flatMap((one) => (one === undefined ? [] : checkScopes(one))),
    ...(readScopes?.length && scopes === undefined && writeScopes === undefined ? [openToWriters] : []),
  ];
}

function nameFault(name: string): SqlRuleFault {
  return {
    code: 'resource-name',
    rule: `"${name}" is not 1 to 57 letters, digits, "_" or "-"`,
    fix: "write resource('tickets', { … })",
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
  const names = Object.keys(fields);
  return Object.entries(fields).flatMap(([name, type], i): readonly SqlRuleFault[] => {
    if (!isFieldType(type))
      return [
        {
          code: 'resource-fields',
          rule: `the type of "${name}" is no schema and not one of ${fieldWords.join(', ')}`,
          fix: `write ${name}: 'string'`,
        },
      ];
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
