import { quote, quoteText } from '../resource/quote.ts';

/** Whether something is an expression of drizzle-orm, `sql`…``, and not a value. */
export function isExpression(value: unknown): value is Expression {
  return typeof value === 'object' && value !== null && 'toQuery' in value && 'queryChunks' in value;
}

/** An expression: it writes itself, with what its own copy of drizzle-orm knows. */
interface Expression {
  toQuery(config: object): { readonly sql: string };
}

/** An expression as text, its values in it, its columns without their table. */
export function renderSql(expression: Expression): string {
  const { sql } = expression.toQuery({
    inlineParams: true,
    invokeSource: 'indexes',
    casing: { getColumnCasing: ({ name }: { readonly name: string }) => name },
    escapeName: quote,
    escapeString: quoteText,
    // Nothing is left to be bound.
    escapeParam: () => 'null',
  });
  return sql;
}

/** A value as it is bound, written into SQL. */
export function renderValue(value: unknown): string {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return String(value);
    case 'boolean':
      return value ? '1' : '0';
    case 'string':
      return quoteText(value);
    default:
      return value instanceof Uint8Array ? `x'${Buffer.from(value).toString('hex')}'` : 'null';
  }
}
