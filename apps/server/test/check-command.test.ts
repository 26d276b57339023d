import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, vi } from 'vitest';
import { applicationText, inFolder, waymark } from './command-line.ts';

const sound = applicationText(`application.apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] });
application.get('/maps', () => 1).rateLimit(50);`);
const doubtful = applicationText(`application.apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] });
application.post('/maps', () => 1).rateLimit(50);`);
const wrong = applicationText(`application.get('no-slash', () => 1);
application.get('/maps', { aproval: 'required' }, () => 1);`);

describe('waymark check', () => {
  it('ends with 0 and counts nothing when all is well', async () => {
    verifies('cli.check', 'cli.exit-codes');
    inFolder({ 'application.ts': sound });
    vi.stubEnv('SHOP_KEY', 'a'.repeat(20));
    expect(await waymark('check', '--strict')).toEqual({ code: 0, out: '0 problems, 0 warnings\n', err: '' });
    expect(await waymark('check', '--json')).toMatchObject({ code: 0, out: '{\n  "findings": []\n}\n' });
  });

  it.each([
    [0, 'all is well', sound, []],
    [1, 'a warning counts', doubtful, ['--strict']],
    [1, 'the application throws', "throw new Error('no');", []],
    [2, 'it is typed wrongly', sound, ['--strikt']],
    [78, 'a declaration is wrong', wrong, []],
  ])('ends with %i where %s', async (code, _, text, argv) => {
    verifies('cli.exit-codes');
    inFolder({ 'application.ts': text });
    vi.stubEnv('SHOP_KEY', 'a'.repeat(20));
    expect((await waymark('check', ...argv)).code).toBe(code);
  });

  it('says nothing with --dev of what waymark dev makes up for, and all the rest', async () => {
    verifies('cli.check.dev');
    const agent = `application.agent('clerk', { description: 'Helps.', tools: [], scopes: ['a'] });`;
    inFolder({
      'application.ts': applicationText(
        `application.apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin', 'a'] });\n${agent}`,
      ),
      'tokens.ts': applicationText(`application.jwt('TOKEN_SECRET');`),
    });
    expect((await waymark('check')).out).toMatch(
      /SHOP_KEY is not set[\s\S]+ has a key[\s\S]+\n1 problem, 1 warning\n$/,
    );
    expect(await waymark('check', '--dev')).toMatchObject({ code: 0, out: '0 problems, 0 warnings\n' });
    expect((await waymark('check', 'tokens.ts', '--dev')).out).toContain('TOKEN_SECRET is not set');
  });

  it('compares the tables of a file with the resources, after migrations, and says all at once', async () => {
    verifies('cli.check', 'resource.new-row', 'resource.column-type');
    const text = (fields: string): string =>
      applicationText(
        `application.resource('notes', ${fields}, { writeScopes: [] });\nvoid 0;`,
        `{ database: 'sqlite://shop.db' }`,
      );
    inFolder({ 'application.ts': text(`{ title: 'string' }`) });
    expect((await waymark('check')).code).toBe(0);
    expect(existsSync('shop.db')).toBe(false);
    const database = new DatabaseSync('shop.db');
    database.exec('create table notes (id integer primary key, title text, n integer not null)');
    database.close();
    const { code, out } = await waymark('check');
    expect(code).toBe(78);
    expect(out).toMatch(
      /application\.ts:\d+ {2}problem: resource "notes": "n" of the table "notes" is never null/,
    );
    writeFileSync('changed.ts', `${text(`{ title: 'integer' }`)}application.get('no-slash', () => 1);`);
    expect((await waymark('check', 'changed.ts')).out).toMatch(
      /no-slash[\s\S]* is text, and its field is integer[\s\S]*\n3 problems, \d+ warnings?\n$/,
    );
    mkdirSync('migrations');
    writeFileSync('migrations/1_n.sql', 'alter table notes drop column n');
    expect((await waymark('check')).out).toContain('not applied yet: 1_n\n0 problems,');
  });

  it.each(['null', 'undefined'])('ends with 1 where the application throws %s', async (nothing) => {
    inFolder({ 'application.ts': `export {};\nthrow ${nothing};` });
    const { code, err } = await waymark('check');
    expect(code).toBe(1);
    expect(err).toContain(`application.ts threw ${nothing}`);
  });

  it.each([
    ['.', {}, '. is a folder; name the file of the application\n'],
    ['lib', { 'lib/x.ts': '' }, 'lib is a folder; name the file of the application\n'],
    ['.', { 'src/application.ts': '' }, 'name the file of the application: src/application.ts\n'],
    ['shop/', { 'shop/application.js': '' }, 'name the file of the application: shop/application.js\n'],
  ])('ends with 2 for a folder, %s, and names what is in it', async (name, files, words) => {
    inFolder(files);
    const { code, out, err } = await waymark('check', name);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
  });

  it.each([
    ['export const other = 1;', 'exports no application'],
    ['export const application = () => 1;', 'exports as its application a function'],
    ['export default [];', 'exports as its application a list'],
    ['export const application = null;\nexport default null;', 'exports as its application null'],
    ['export const application = Promise.resolve(1);', 'exports as its application a promise'],
    ['export const application = {};', 'exports as its application another object'],
    ["export const application = 'desk';", 'exports as its application a string'],
  ])('ends with 2 and says what there is instead: %s', async (text, words) => {
    inFolder({ 'application.ts': text });
    const { code, err } = await waymark('check');
    expect(code).toBe(2);
    expect(err).toContain(`application.ts ${words}`);
    expect(err).toContain("write: export const application = createApplication('name')");
  });

  it('names the export that is an application under another name', async () => {
    inFolder({ 'application.ts': applicationText('').replace('const application', 'const app') });
    expect(await waymark('check')).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /^application\.ts exports its application as app; write: export const application = …\n/,
      ) as string,
    });
  });

  it('names the folder that an application is imported from', async () => {
    inFolder({ 'application.ts': "import './';" });
    const { code, out } = await waymark('check');
    expect(code).toBe(1);
    expect(out).not.toContain('problem:  is');
  });

  it('ends with 78 and every problem at its place, with what to write instead', async () => {
    verifies('cli.check');
    inFolder({ 'application.ts': wrong });
    const { code, out } = await waymark('check');
    expect(code).toBe(78);
    expect(out).toMatch(/application\.ts:3 {2}problem: route GET no-slash: path "no-slash" does not start/);
    expect(out).toMatch(/application\.ts:4 {2}problem: route GET \/maps: unknown option "aproval"/);
    expect(out).toMatch(/ {4}fix: write "approval"/);
    expect(out).toMatch(/^2 problems, \d warnings?$/m);
    const json = await waymark('check', '--json');
    expect(json.code).toBe(78);
    const { findings } = JSON.parse(json.out) as { findings: object[] };
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        nearest: 'approval',
        fix: 'write "approval"',
        at: { file: expect.stringMatching(/application\.ts$/) as string, line: 4 },
      }),
    );
  });

  it('ends with 0 for warnings, and with 1 when they count', async () => {
    inFolder({ 'application.ts': doubtful });
    vi.stubEnv('SHOP_KEY', 'a'.repeat(20));
    const { code, out } = await waymark('check');
    expect(code).toBe(0);
    expect(out).toContain('warning: POST /maps changes state and answers anybody\n    fix: give it scopes');
    expect(out).toMatch(/^0 problems, 1 warning$/m);
    expect((await waymark('check', '--strict')).code).toBe(1);
  });

  it('asks for the keys that serving needs', async () => {
    inFolder({ 'application.ts': doubtful });
    const { code, out } = await waymark('check');
    expect(code).toBe(78);
    expect(out).toContain('waymark keygen --env SHOP_KEY');
  });

  it('warns about a variable with our prefix that is none of ours, and names the nearest', async () => {
    verifies('product.environment-prefix');
    inFolder({ 'application.ts': sound });
    vi.stubEnv('SHOP_KEY', 'a'.repeat(20));
    vi.stubEnv('WAYMARK_HOTS', '127.0.0.1');
    vi.stubEnv('WAYMARK_HOST', '127.0.0.1');
    const { code, out } = await waymark('check');
    expect(code).toBe(0);
    expect(out).toMatch(
      /warning: environment: unknown variable WAYMARK_HOTS\n {4}fix: write "WAYMARK_HOST"\n/,
    );
    expect(out).toMatch(/^0 problems, 1 warning$/m);
  });
});
