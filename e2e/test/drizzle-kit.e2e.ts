/** What drizzle-kit writes from a schema, applied by our command. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { installFolder } from '../../tools/lib/install.ts';
import { startProgram } from './program.ts';

const peers = join(import.meta.dirname, '..', 'data-peers');

/** A project that has drizzle-kit, in the repository, where its application finds our packages. */
function project(dialect: 'sqlite' | 'turso') {
  installFolder(peers);
  const folder = mkdtempSync(join(import.meta.dirname, '.drizzle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(peers, 'node_modules'), join(folder, 'node_modules'));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write(
    'drizzle.config.ts',
    `export default { dialect: '${dialect}', schema: './schema.ts', out: './migrations'${dialect === 'turso' ? `, dbCredentials: { url: 'file:shop.db' }` : ''} };`,
  );
  // Outside of the link, which has no package of ours.
  write(
    'application.ts',
    `import { createApplication } from '${import.meta.resolve('@waymark/server')}';
export const application = createApplication('shop', { database: 'sqlite://shop.db' });`,
  );
  return {
    /** Writes the schema, and what drizzle-kit makes of it. @returns the SQL of the file of that name */
    generate(schema: string, name: string): string {
      write(
        'schema.ts',
        `import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';\n${schema}`,
      );
      const kit = join(peers, 'node_modules', 'drizzle-kit', 'bin.cjs');
      execFileSync(process.execPath, [kit, 'generate', '--name', name.slice(5)], {
        cwd: folder,
        stdio: 'pipe',
      });
      return readFileSync(join(folder, 'migrations', `${name}.sql`), 'utf8');
    },
    async migrate() {
      const program = startProgram('apps/server/bin/waymark.js', { cwd: folder, argv: ['migrate'] });
      return { code: await program.ended(), out: program.stdout(), err: program.stderr() };
    },
    sql(text: string): readonly unknown[] {
      const database = new DatabaseSync(join(folder, 'shop.db'));
      try {
        return database.prepare(text).all();
      } finally {
        database.close();
      }
    },
  };
}

const tables = (name: string): string => `
export const users = sqliteTable('users', { id: integer().primaryKey(), name: ${name}, email: text() }, (t) => [uniqueIndex('by_email').on(t.email)]);
export const posts = sqliteTable('posts', {
  id: integer().primaryKey({ autoIncrement: true }),
  user: integer().notNull().references(() => users.id, { onDelete: 'cascade' }),
  title: text().notNull().default('; --> statement-breakpoint'),
});`;

it('applies what drizzle-kit generates, and loses no row where it makes a table anew', async () => {
  verifies('migrate.drizzle-kit', 'migrate.foreign-keys');
  const { generate, migrate, sql } = project('sqlite');
  expect(generate(tables('text()'), '0000_first')).toContain('--> statement-breakpoint');
  expect((await migrate()).out).toMatch(/^applied {2}0000_first in .* ms\n1 applied/);
  sql(`insert into users (id, name, email) values (1, 'Ada', 'a@b.c')`);
  sql('insert into posts (user) values (1)');
  // Dropping the old one would take the posts along.
  expect(generate(tables('text().notNull()'), '0001_named')).toMatch(
    /PRAGMA foreign_keys=OFF[\s\S]+DROP TABLE `users`/,
  );
  expect((await migrate()).out).toMatch(/^applied {2}0001_named in .* ms\n1 applied/);
  expect(sql('select user, title from posts')).toEqual([{ user: 1, title: '; --> statement-breakpoint' }]);
  expect(sql('select name, email from users')).toEqual([{ name: 'Ada', email: 'a@b.c' }]);
  expect(await migrate()).toEqual({ code: 0, out: '0 applied, nothing is pending\n', err: '' });
});

it('says which SQL of Turso a file does not know', async () => {
  verifies('migrate.drizzle-kit', 'migrate.half-way');
  const { generate, migrate } = project('turso');
  generate(tables('text()'), '0000_first');
  expect((await migrate()).code).toBe(0);
  expect(generate(tables('text().notNull()'), '0001_named')).toContain('ALTER COLUMN');
  const { code, err } = await migrate();
  expect(code).toBe(78);
  expect(err).toMatch(/migrations\/0001_named\.sql:\d+ .*drizzle-kit does with dialect: 'sqlite'/);
});
