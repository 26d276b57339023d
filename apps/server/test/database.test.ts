import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toProblemLine } from '@waymark/contract/declaring';
import { verifies } from '@waymark/contract/testing';
import { createApplication, DeclarationError, formatReport } from '@waymark/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { application, ask, secret, serve } from './serve.ts';

/** The path of a file that does not exist yet, in a folder that is gone after the test. */
function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-server-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'shop.db');
}

describe('an application with a database', () => {
  it('serves resources, queries and memories that are kept in its file', async () => {
    verifies('app.option.database', 'face.methods.data', 'face.memory.returns-names');
    verifies('declare.memory.tool-names', 'purpose.hosts.resources', 'purpose.hosts.memory');
    const file = newFile();
    const shop = () => {
      const app = application({ database: `sqlite://${file}` });
      app
        .apiKey('SHOP_KEY', 'shop')
        .resource('maps', { title: 'string' })
        .query('GET', '/count', 'select count(*) as maps from maps', { returns: 'one' });
      return { app, tools: app.memory('notes'), more: app.memory() };
    };
    const first = shop();
    expect(first.tools).toEqual(['notes_remember', 'notes_recall', 'notes_search', 'notes_forget']);
    expect(first.more[0]).toBe('memory_remember');
    const { url, close } = await first.app.listen();
    const made = await ask(`${url}/maps`, { body: { title: 'Alps' } });
    expect([made.status, made.headers.get('location')]).toEqual([201, '/maps/1']);
    await ask(`${url}/notes/remember`, { key: secret, body: { key: 'a', value: 'b' } });
    await close();
    // The log was put back: what is copied now is whole.
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);

    const again = await serve(shop().app);
    expect((await ask(`${again.url}/count`)).body).toEqual({ maps: 1 });
    expect((await ask(`${again.url}/notes/recall/a`, { key: secret })).body).toMatchObject({ value: 'b' });
  });

  it('keeps the audit log over a restart', async () => {
    const file = newFile();
    const shop = () =>
      application({ database: `file:${file}` }).apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] });
    const first = await shop().listen();
    expect((await ask(`${first.url}/_svc/audit`, { key: 'no-such-key-in-this-shop' })).status).toBe(401);
    await first.close();
    const { url } = await serve(shop());
    const { body } = await ask(`${url}/_svc/audit`, { key: secret });
    expect(JSON.stringify(body)).toContain('"kind":"auth_refused"');
  });

  it('gives its handlers the database, while it runs', async () => {
    const app = application({ database: ':memory:' });
    const { database } = app;
    app
      .resource('maps', { title: 'string' })
      .get('/titles', async () => (await database.many('select title from maps')).map(({ title }) => title));
    await expect(database.many('select 1')).rejects.toThrow('the database is not open');
    const { url } = await serve(app);
    await ask(`${url}/maps`, { body: { title: 'Alps' } });
    expect((await ask(`${url}/titles`)).body).toEqual(['Alps']);
    expect(app.database).toBe(database);
  });

  it('can be served twice at once, and closed one after the other', async () => {
    const app = application({ database: ':memory:' });
    app.resource('maps', { title: 'string' });
    const [one, two] = [await app.listen(), await serve(app)];
    await ask(`${one.url}/maps`, { body: { title: 'Alps' } });
    await one.close();
    expect((await ask(`${two.url}/maps`)).body).toEqual([{ id: 1, title: 'Alps' }]);
  });

  it('says where its state is kept', async () => {
    verifies('startup.state');
    const file = newFile();
    const { report } = await serve(application({ database: `sqlite://${file}` }));
    expect(formatReport(report)).toContain(`  state    in sqlite://${file}`);
    const { report: volatile } = await serve(application({ database: 'sqlite://:memory:' }));
    expect(volatile.state).toBe('in memory: gone when the process stops');
  });

  it('takes plugins that need one', async () => {
    let rows: unknown;
    const app = application({ database: ':memory:' });
    app.add({
      name: 'maps',
      routes: [],
      needs: ['database'],
      start: async ({ database }) => {
        rows = await database?.many('select 1 as one', []);
      },
    });
    await serve(app);
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('is named by a variable, which wins over the option', async () => {
    verifies('config.database', 'config.unprefixed');
    const [own, bare, option] = [newFile(), newFile(), newFile()];
    const variables = { DATABASE_URL: `sqlite://${bare}` };
    const { report } = await serve(application({}, variables));
    expect(report.state).toBe(`in sqlite://${bare}`);
    const { report: chosen } = await serve(application({ database: `sqlite://${option}` }, variables));
    expect(chosen.state).toBe(`in sqlite://${option}`);
    const { report: ours } = await serve(
      application(
        { database: `sqlite://${option}` },
        { ...variables, WAYMARK_DATABASE_URL: `sqlite://${own}` },
      ),
    );
    expect(ours.state).toBe(`in sqlite://${own}`);
  });

  it('leaves the database of another product alone, and says so', async () => {
    verifies('config.unprefixed');
    const { report } = await serve(application({}, { DATABASE_URL: 'postgres://shop:hunter2@db/shop' }));
    expect(report.state).toBe('in memory: gone when the process stops');
    expect(formatReport(report)).toContain(
      'DATABASE_URL names no database that can be opened here and is ignored; set WAYMARK_DATABASE_URL',
    );
    expect(formatReport(report)).not.toContain('hunter2');
  });
});

describe('an application whose database cannot be opened', () => {
  it.each([
    ['postgres://db/shop', 'its URL has an unknown form'],
    ['libsql://user:hunter2@db', 'its URL holds a credential'],
  ])('is told so by the check: %s', (database, rule) => {
    const app = application({ database });
    app.resource('maps', { title: 'string' });
    const problems = app.check();
    expect(problems.map(({ code }) => code)).toEqual(['database-url']);
    expect(toProblemLine(problems[0] as never)).toContain(rule);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
    expect(problems[0]?.at).toMatch(/serve\.ts:\d+$/);
  });

  it('is told so when it starts, and can be started when that is mended', async () => {
    const file = newFile();
    const app = application({ database: `sqlite://${file}/shop.db` });
    // The check finds it as the start does, and opens nothing.
    expect(app.check().map(({ code, at }) => [code, at])).toEqual([
      ['database-folder', expect.stringMatching(/serve\.ts:\d+$/)],
    ]);
    expect(app.check()[0]?.fix).toBe(`create it: mkdir -p ${file}`);
    const error: unknown = await app.listen().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeclarationError);
    const [problem] = (error as DeclarationError).problems;
    expect(problem?.code).toBe('database-folder');
    expect(problem?.at).toMatch(/serve\.ts:\d+$/);
    mkdirSync(file);
    expect(app.check()).toEqual([]);
    expect(readdirSync(file)).toEqual([]);
    await serve(app);
  });
});

describe('a variable that names no database that can be opened', () => {
  it.each(['WAYMARK_DATABASE_URL', 'DATABASE_URL'])(
    'is blamed, and no line of the application: %s',
    async (name) => {
      vi.stubEnv(name, `sqlite://${newFile()}/shop.db`);
      onTestFinished(() => void vi.unstubAllEnvs());
      const app = createApplication('shop');
      const blamed = {
        ...{ code: 'database-folder', declaration: 'environment' },
        rule: expect.stringMatching(`^${name}: `) as string,
      };
      const problems = app.check();
      expect(problems).toMatchObject([blamed]);
      expect(problems[0]).not.toHaveProperty('at');
      await expect(app.listen()).rejects.toMatchObject({ problems: [blamed] });
    },
  );
});

describe('an application without a database', () => {
  it('finds everything that needs one, and has none to give', () => {
    verifies('sql.none.boot');
    const app = application();
    app.resource('maps', { title: 'string' }).query('GET', '/count', 'select 1');
    app.memory();
    expect(app.check().map(({ code, declaration }) => [code, declaration])).toEqual([
      ['sql-database', 'resource "maps"'],
      ['sql-database', 'query GET /count'],
      ['sql-database', 'memory "memory"'],
    ]);
    expect(() => app.database).toThrow("write database: 'sqlite://app.db'");
  });

  it('keeps its own state in memory, and says so', async () => {
    verifies('sql.none.memory', 'app.option.database.default');
    const { report } = await serve(application());
    expect(report.state).toBe('in memory: gone when the process stops');
  });
});
