import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { devKeys } from '../example/dev-keys.ts';
import { tour } from '../example/tour.ts';

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
    const { keys, made } = devKeys(file);
    expect(made).toBe(true);
    expect(Object.keys(keys)).toEqual(['OPERATOR_KEY', 'DEVICE_KEY', 'READER_KEY']);
    expect(new Set(Object.values(keys)).size).toBe(3);
    for (const key of Object.values(keys)) expect(key).toMatch(/^wm_[\w-]{43}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(devKeys(file)).toEqual({ keys, made: false });
  });

  it('keeps its file out of git', () => {
    verifies('reference.key-file');
    const ignored = readFileSync(join(import.meta.dirname, '..', '..', '..', '.gitignore'), 'utf8').split(
      '\n',
    );
    expect(ignored).toContain('.waymark');
  });

  it('refuses a file that lacks a key rather than overwriting it', () => {
    devKeys(file);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^READER_KEY=.*$/m, '# lost'));
    expect(() => devKeys(file)).toThrow(/has no READER_KEY: add it, or delete the file/);
    expect(existsSync(file)).toBe(true);
  });
});

describe('tour', () => {
  it('prints each key, a curl line for each capability, and how to get other keys', () => {
    verifies('reference.prints');
    const keys = devKeys(file);
    const text = tour('http://127.0.0.1:8000', keys, file);
    for (const key of Object.values(keys.keys)) expect(text).toContain(key);
    expect(text.match(/^ {2}curl -s '?http:\/\/127\.0\.0\.1:8000\//gm)).toHaveLength(20);
    expect(text).toContain(`made just now, from ${file}`);
    expect(text).toContain('delete the file');
  });
});
