import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { type ApplicationOptions, createApplication, DeclarationError } from '@waymark/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { applicationText, inFolder, waymark } from './command-line.ts';

const quiet = { port: 0, env: { LOG_LEVEL: 'silent' } } as const satisfies ApplicationOptions;
const database = 'sqlite://site/app.db';

/** A folder with a site, the working directory until the test is over. */
function inSite(files: Readonly<Record<string, string>> = {}): string {
  return inFolder({ 'site/index.html': '<p>Hello', ...files });
}

describe('a site with the database of its service', () => {
  it('keeps start, check and security from doing their work, with place, rule and fix', async () => {
    verifies('files.kept', 'boot.error.place', 'boot.error.rule', 'boot.error.fix');
    vi.stubEnv('LOG_LEVEL', 'silent');
    inSite({
      'application.ts': applicationText(
        "application.staticFiles('/files', 'site');",
        `{ database: '${database}' }`,
      ),
    });
    for (const command of ['start', 'check', 'security']) {
      const { code, out, err } = await waymark(command);
      expect({ command, code }).toEqual({ command, code: 78 });
      for (const words of [
        'application.ts:3',
        'staticFiles /files: "site" would hand out site/app.db, the database',
        'keep that elsewhere, or serve a directory of its own',
      ])
        expect(out + err).toContain(words);
    }
  });

  it.each([
    ['by a variable', { env: { DATABASE_URL: database } }],
    ['as file:', { database: 'file:site/app.db' }],
    ['through a link', { database: 'sqlite://state/app.db' }],
  ])('does not start where the database is named %s', async (_, options) => {
    verifies('files.kept');
    inSite();
    symlinkSync('site', 'state');
    const env = { LOG_LEVEL: 'silent', ...('env' in options ? options.env : {}) };
    const app = createApplication('desk', { ...quiet, ...options, env });
    app.staticFiles('/files', 'site', { scopes: ['desk:read'] });
    const error: unknown = await app.listen().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeclarationError);
    expect((error as DeclarationError).problems.map(({ code }) => code)).toEqual(['files-kept']);
  });

  it('does not start with its keys for development either', async () => {
    verifies('files.kept');
    inSite();
    const app = createApplication('desk', quiet).apiKey('DESK_KEY', 'desk', { scopes: ['desk:read'] });
    app.staticFiles('/files', 'site');
    const listening = app.listen({ development: { keysFile: 'site/keys.env' } });
    await expect(listening).rejects.toThrow('would hand out site/keys.env, the keys for development');
  });

  it('is served where the database is beside it, which no link leads to later', async () => {
    verifies('files.kept');
    inSite();
    mkdirSync('state');
    const app = createApplication('desk', { ...quiet, database: 'sqlite://state/app.db' });
    const { url, close } = await app.staticFiles('/files', 'site').listen();
    onTestFinished(close);
    linkSync('state/app.db', 'site/hard.db');
    symlinkSync('../state/app.db', 'site/soft.db');
    const status = async (name: string) => (await fetch(`${url}/files/${name}`)).status;
    expect([await status('hard.db'), await status('soft.db'), await status('index.html')]).toEqual([
      404, 404, 200,
    ]);
  });
});

describe('a site that is the folder of the program', () => {
  it('is warned about by check and security, and hides what begins with a dot', async () => {
    verifies('files.program');
    vi.stubEnv('LOG_LEVEL', 'silent');
    const folder = inFolder({
      '.env': 'DESK_KEY=secret\n',
      'application.ts': applicationText("application.staticFiles('/', '.');"),
    });
    const said = 'staticFiles / hands out the program: "." holds application.ts, the application';
    for (const command of ['check', 'security']) {
      const { code, out, err } = await waymark(command);
      expect(code).toBe(0);
      expect(out + err).toContain(said);
    }
    writeFileSync(join(folder, 'page.html'), 'x');
    const app = createApplication('desk', quiet).staticFiles('/', '.');
    const { url, close } = await app.listen();
    onTestFinished(close);
    expect((await fetch(`${url}/.env`)).status).toBe(404);
    expect((await fetch(`${url}/page.html`)).status).toBe(200);
  });

  it('is told of its templates', () => {
    verifies('files.program');
    inSite({ 'site/templates/board.hbs': 'x' });
    const app = createApplication('desk', { ...quiet, templates: 'site/templates' });
    app.staticFiles('/files', 'site').page('/board', 'board', { data: {} });
    expect(app.findings().map(({ text }) => text)).toContain(
      'staticFiles /files hands out the program: "site" holds site/templates, its templates',
    );
  });
});
