import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRouteTable } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { consolePlugin } from '../src/index.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

describe('the README', () => {
  it('says what its program prints', () => {
    const table = createRouteTable(consolePlugin({ controlPrefix: '/_svc' }).routes).freeze();
    for (const route of table) expect(readme).toContain(`'${route.method} ${table.pathOf(route)}'`);
  });
});
