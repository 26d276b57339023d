import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { verifies } from '@waymark/contract/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyNames } from '../example/key-roles.ts';
import { tour } from '../example/tour.ts';
import { devKeys } from '../src/develop/dev-keys.ts';
import { privateFolder } from '../src/develop/private-folder.ts';

/** How often two applications begin in the same moment. */
const moments = 20;

/** The key that a worker has each time, or what went wrong. */
const begin = `
const { parentPort, workerData: { folder, gates, moments, module } } = require('node:worker_threads');
import(module).then(({ devKeys }) => {
  const keys = [];
  for (let i = 0; i < moments; i++) {
    Atomics.add(gates, i, 1);
    while (Atomics.load(gates, i) < 2);
    try {
      keys.push(devKeys(folder + '/' + i + '/dev.env', ['A_KEY']).keys.A_KEY);
    } catch (error) {
      keys.push(String(error));
    }
  }
  parentPort.postMessage(keys);
});`;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dev-keys-'));
  file = join(folder, '.waymark', 'dev.env');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('devKeys', () => {
  it('makes three different keys once, in a file that only its owner can read', () => {
    verifies('reference.makes-keys', 'reference.key-file');
    const { keys, made } = devKeys(file, keyNames);
    expect(made).toEqual(keys);
    expect(Object.keys(keys)).toEqual(['OPERATOR_KEY', 'DEVICE_KEY', 'READER_KEY']);
    expect(new Set(Object.values(keys)).size).toBe(3);
    for (const key of Object.values(keys)) expect(key).toMatch(/^wm_[\w-]{43}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(devKeys(file, keyNames)).toEqual({ file, keys, made: {} });
  });

  it('keeps its file out of git', () => {
    verifies('reference.key-file');
    const ignored = readFileSync(join(import.meta.dirname, '..', '..', '..', '.gitignore'), 'utf8').split(
      '\n',
    );
    expect(ignored).toContain('.waymark');
  });

  it('hides its folder from git by itself, too', () => {
    devKeys(file, ['A_KEY']);
    expect(readFileSync(join(folder, '.waymark', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('keeps a key that it adds to a file from others, whoever made that', () => {
    mkdirSync(join(folder, '.waymark'), { mode: 0o755 });
    writeFileSync(file, 'OTHER=1\n', { mode: 0o644 });
    devKeys(file, ['A_KEY']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, '.waymark')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(folder, '.waymark', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('gives the same keys to applications that begin at the same moment', async () => {
    const gates = new Int32Array(new SharedArrayBuffer(4 * moments));
    const workerData = {
      folder,
      gates,
      moments,
      module: new URL('../src/develop/dev-keys.ts', import.meta.url).href,
    };
    const told = await Promise.all(
      [1, 2].map(
        async () => (await once(new Worker(begin, { eval: true, workerData }), 'message')) as [string[]],
      ),
    );
    expect(told[0]).toEqual(told[1]);
  });

  it.each(['# mine\nOTHER=1', '# mine\nOTHER=1\n', ''])(
    'adds a key that a file lacks, and keeps the rest of %j',
    (text) => {
      mkdirSync(join(folder, '.waymark'));
      writeFileSync(file, text);
      const { keys, made } = devKeys(file, ['A_KEY']);
      expect(made).toEqual(keys);
      expect(readFileSync(file, 'utf8')).toBe(
        `${text === '' ? '' : '# mine\nOTHER=1\n'}A_KEY=${keys.A_KEY}\n`,
      );
      writeFileSync(file, `${text}\nA_KEY=\n`);
      expect(devKeys(file, ['A_KEY']).made.A_KEY).toMatch(/^wm_/);
    },
  );
});

describe('privateFolder', () => {
  it.each([
    ['made', false],
    ['of an earlier release', true],
  ])('is for its owner alone: one that is %s', (_, isThere) => {
    verifies('reference.key-file');
    const path = join(folder, '.waymark');
    const before = process.umask(0);
    try {
      if (isThere) mkdirSync(path, 0o755);
      privateFolder(path);
    } finally {
      process.umask(before);
    }
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });
});

describe('the tour of the reference application', () => {
  it('has a line for each capability, whose keys are variables', () => {
    verifies('reference.prints');
    const text = tour('http://127.0.0.1:8000', { file: '.waymark/dev.env', failUrl: '' });
    expect(text.match(/^ {2}curl -s '?http:\/\/127\.0\.0\.1:8000\//gm)).toHaveLength(24);
    expect(text).toContain('Try, after `. ./.waymark/dev.env`:');
    for (const name of ['OPERATOR_KEY', 'READER_KEY']) expect(text).toContain(`"x-api-key: $${name}"`);
    for (const name of keyNames) expect(text).toContain(name);
    expect(text).not.toMatch(/wm_/);
  });
});
