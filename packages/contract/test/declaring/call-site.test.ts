import { runInThisContext } from 'node:vm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callSite, laterCallSite, parseCallSite } from '../../src/declaring/call-site.ts';

/** Stands for a declaration call. */
function declare(): string {
  return callSite(declare);
}

/** Stands for a function that wraps one: it passes itself, so that its caller is found. */
function wrapper(inner: () => string): readonly string[] {
  return [callSite(wrapper), inner()];
}

/** Runs a function that stands in a file of its own, in its third line. */
function runIn<T>(filename: string, source: string, argument: (...args: never[]) => T): T {
  const run = runInThisContext(`\n\n(call) => ${source}`, { filename }) as (
    call: (...args: never[]) => T,
  ) => T;
  return run(argument);
}

describe('callSite', () => {
  it('gives file and line of the call, relative to the working directory', () => {
    expect(runIn(`${process.cwd()}/app/routes.ts`, 'call()', declare)).toBe('app/routes.ts:3');
  });

  it('reads modules, whose place is a URL', () => {
    expect(runIn(`file://${process.cwd()}/app/my%20routes.ts`, 'call()', declare)).toBe('app/my routes.ts:3');
  });

  it('gives the whole path of a file elsewhere', () => {
    expect(runIn('/elsewhere/app.ts', 'call()', declare)).toBe('/elsewhere/app.ts:3');
    expect(runIn(`${process.cwd()}-other/app.ts`, 'call()', declare)).toBe(`${process.cwd()}-other/app.ts:3`);
  });

  it('reads paths with spaces and parentheses', () => {
    expect(runIn('/my app (copy)/(site)/a.ts', 'call()', declare)).toBe('/my app (copy)/(site)/a.ts:3');
    expect(runIn('/my app (copy)/a.ts', '[1].map(function f() { return call(); })[0]', declare)).toBe(
      '/my app (copy)/a.ts:3',
    );
  });

  it('finds a call inside functions and methods', () => {
    expect(runIn('/a.ts', '[1].map(function named() { return call(); })[0]', declare)).toBe('/a.ts:3');
    expect(runIn('/a.ts', 'new (class { site = call(); })().site', declare)).toBe('/a.ts:3');
  });

  it('gives the caller of a wrapper when the wrapper is named', () => {
    const [outer, inner] = runIn('/a.ts', 'call(() => 0)', () => wrapper(declare)) ?? [];
    expect(outer).toMatch(/call-site\.test\.ts:\d+$/);
    expect(inner).toMatch(/call-site\.test\.ts:\d+$/);
    expect(runIn('/a.ts', 'call(() => "x")', wrapper)).toEqual(['/a.ts:3', 'x']);
  });

  it('leaves the depth of stack traces as it was', () => {
    const before = Error.stackTraceLimit;
    declare();
    expect(Error.stackTraceLimit).toBe(before);
  });

  it('says unknown when the function did not call', () => {
    expect(callSite(() => 0)).toBe('unknown');
  });
});

describe('parseCallSite', () => {
  it.each([
    ['src/app.ts:12', { file: 'src/app.ts', line: 12 }],
    ['C:\\app\\main.ts:3', { file: 'C:\\app\\main.ts', line: 3 }],
    ['unknown', undefined],
    ['src/app.ts', undefined],
    ['', undefined],
  ])('reads %j', (text, site) => {
    expect(parseCallSite(text)).toEqual(site);
  });

  it('reads what callSite says', () => {
    expect(parseCallSite(declare())).toMatchObject({ file: expect.stringMatching(/call-site\.test\.ts$/) });
  });
});

describe('laterCallSite', () => {
  /** Stands for a declaration call. */
  const declareLater = (): (() => string) => laterCallSite(declareLater);

  it('says afterwards where the call stood, relative to the directory that it was made in', () => {
    const home = process.cwd();
    const place = runIn(`${home}/app/routes.ts`, 'call()', declareLater);
    const elsewhere = vi.spyOn(process, 'cwd').mockReturnValue('/elsewhere');
    onTestFinished(() => elsewhere.mockRestore());
    expect([place(), place()]).toEqual(['app/routes.ts:3', 'app/routes.ts:3']);
  });

  it('puts it into words when it is asked, once', () => {
    const before = Error.prepareStackTrace;
    onTestFinished(() => {
      Error.prepareStackTrace = before;
    });
    let asked = 0;
    Error.prepareStackTrace = () => `Error\n    at f (/a.ts:${++asked}:1)`;
    const place = declareLater();
    expect(asked).toBe(0);
    expect([place(), place()]).toEqual(['/a.ts:1', '/a.ts:1']);
  });
});
