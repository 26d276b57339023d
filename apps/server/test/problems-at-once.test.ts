import { toProblemLine } from '@waymark/contract/declaring';
import { verifies } from '@waymark/contract/testing';
import { type Application, DeclarationError } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { application } from './serve.ts';

const here = 'apps/server/test/problems-at-once.test.ts';

/** What a program without types can pass. */
const any = (value: unknown): never => value as never;

/** What keeps an application from starting, without the fixes. */
async function linesOf(app: Application): Promise<readonly string[]> {
  const error = await app.listen().then(
    ({ close }) => close(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DeclarationError);
  return (error as DeclarationError).problems.map((problem) => {
    expect(problem.at).toMatch(/^apps\/server\/test\/(?:problems-at-once\.test|serve)\.ts:\d+$/);
    const { fix: _, ...rest } = problem;
    return toProblemLine(rest).replace(/^\S+:\d+ {2}/, problem.at?.startsWith(here) ? '' : 'application: ');
  });
}

describe('everything that is wrong', () => {
  it('is said at once of a watcher, whatever else is wrong with it', async () => {
    verifies('boot.all-at-once');
    const app = application();
    app.camera('door');
    app.agent('guard', any({ scopes: ['door:watch'] }));
    app.watch(
      'yard',
      any({ device: 'dor', agent: 'gard', evry: 5, maxRunsPerHour: 0, webhook: 'ftp://elsewhere' }),
    );
    app.watch('gate', any({ device: 'door', agent: 'guard', every: '5' }));
    app.watch('9', any({ device: 'dooor', scopes: 'a b' }));
    expect(await linesOf(app)).toEqual([
      'watch "yard": unknown option "evry" (did you mean "every"?)',
      'watch "yard": maxRunsPerHour is not 1 to 36,000 runs, a whole number',
      'watch "gate": every is not a number',
      'watch "9": its name is not a letter and up to 53 letters, digits, "_" or "-" after it',
      'watch "9": it has no agent',
      'watch "9": scopes are not a list of words without spaces',
      'watch "yard": unknown device "dor" (did you mean "door"?)',
      'watch "yard": unknown agent "gard" (did you mean "guard"?)',
      'watch "yard": webhook is no http or https URL',
      'watch "gate": may not start its agent "guard", which needs the scope "door:watch"',
      'watch "9": unknown device "dooor" (did you mean "door"?)',
    ]);
  });

  it('is said at once of a device; who names it is not told that there is none', async () => {
    verifies('boot.all-at-once');
    const app = application();
    app.camera('door', any({ maxFsp: 5, source: 'http://camera.lan/still.jpg', bearerEnv: 'NO_TOKEN' }));
    app.agent('guard', any({ modle: 'default' }));
    app.watch('yard', { device: 'door', agent: 'guard', every: 60 });
    expect(await linesOf(app)).toEqual([
      'camera "door": unknown option "maxFsp" (did you mean "maxFps"?)',
      'camera "door": the variable NO_TOKEN is not set',
      'agent "guard": unknown option "modle" (did you mean "model"?)',
    ]);
  });

  it('is said with what is wrong with the folder of migrations', async () => {
    verifies('boot.all-at-once');
    const app = application({ database: ':memory:', migrations: 'fixtures/migratoins' });
    app.get('/x', any({ sumary: 'X.' }), () => 1);
    const lines = await linesOf(app);
    expect(lines).toEqual([
      'route GET /x: unknown option "sumary" (did you mean "summary"?)',
      'application: migrations: apps/server/test/fixtures/migratoins: the folder is not there (did you mean "fixtures/migrations"?)',
    ]);
    const alone = application({ database: ':memory:', migrations: 'fixtures/migratoins' });
    expect(await linesOf(alone)).toEqual(lines.slice(1));
    expect(
      await linesOf(application({ database: ':memory:', migrations: 'fixtures/zzz', port: -1 })),
    ).toEqual([
      'application: application: port -1 is not a number from 0 to 65535',
      'application: migrations: apps/server/test/fixtures/zzz: the folder is not there',
    ]);
  });
});
