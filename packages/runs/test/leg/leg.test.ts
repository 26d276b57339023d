import type { Json } from '@waymark/contract';
import { type Call, HostError } from '@waymark/contract/engine';
import { ModelError } from '@waymark/contract/models';
import type { RunScope } from '@waymark/contract/runs';
import { runRecord, spendRecord, testHost, verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runChild } from '../../src/leg/child-run.ts';
import { JournalStep } from '../../src/leg/journal-step.ts';
import { gated, look, open, play, Rows } from './play.ts';

/** Until nothing more can happen at once. */
async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

describe('a leg', () => {
  it('does each step once, and gives what is recorded to the next leg', async () => {
    const rows = new Rows();
    let done = 0;
    const code = async (scope: RunScope): Promise<Json> => [
      await scope.op(look(1), async () => ({ value: ++done })),
      await scope.op(look(2), async () => ({ value: ++done })),
    ];
    expect(await play(rows, code).end).toBe('ended');
    expect(rows.finished).toEqual({ status: 'completed', output: [1, 2], error: null });
    rows.root = { ...rows.root, status: 'running', output: null };
    expect(await play(rows, code).end).toBe('ended');
    expect([done, rows.root.output]).toEqual([2, [1, 2]]);
  });

  it('gives results in the order in which they were stored, each in a turn of its own, live and later', async () => {
    const rows = new Rows();
    const heard: string[][] = [];
    const code = async (scope: RunScope): Promise<Json> => {
      const order: string[] = [];
      heard.push(order);
      const ask = (name: string, after: number) =>
        scope
          .op(look(name), async () => {
            await turns(after);
            return { value: name };
          })
          .then(async () => {
            order.push(name);
            // Whatever follows from a result is done before the next one comes.
            for (let i = 0; i < 20; i++) await Promise.resolve();
            order.push(`after ${name}`);
          });
      await Promise.all([ask('slow', 6), ask('quick', 2)]);
      return null;
    };
    await play(rows, code).end;
    await play(rows, code).end;
    expect(heard[0]).toEqual(['quick', 'after quick', 'slow', 'after slow']);
    expect(heard[1]).toEqual(heard[0]);
  });

  it('gives the stored form, the first time too', async () => {
    const given: Json[] = [];
    await play(new Rows(), async (scope) => {
      given.push(
        await scope.op(look(1), async () => ({ value: { at: undefined, n: 1 } as unknown as Json })),
      );
      return null;
    }).end;
    expect(Object.keys(given[0] as object)).toEqual(['n']);
  });

  it('keeps what it stored, whatever the code does to what it was given', async () => {
    const rows = new Rows();
    const code = async (scope: RunScope): Promise<Json> => {
      const given = await scope.op(look(1), async () => ({ value: { n: 1 } }));
      return ++given.n;
    };
    await play(rows, code).end;
    await play(rows, code).end;
    expect([rows.root.output, rows.ops.get('r.0')?.value]).toEqual([2, { n: 1 }]);
  });

  it.each<[string, (scope: RunScope) => Promise<Json>, string]>([
    [
      'asks for something else',
      (scope) => scope.op(open(), async () => ({ value: 2 })),
      'asked call open_door',
    ],
    ['does not ask for all of it', async () => 'nothing', 'asked the end of the run'],
  ])('fails the root where the code %s, before anything is done', async (_, edited, words) => {
    const rows = new Rows();
    await play(rows, (scope) => scope.op(look(1), async () => ({ value: 1 }))).end;
    const { commits } = rows;
    const before = commits.length;
    expect(await play(rows, edited).end).toBe('ended');
    expect(rows.finished).toMatchObject({
      status: 'failed',
      error: { code: 'replay_mismatch', status: 500 },
    });
    expect(rows.root.error?.message).toContain(words);
    expect(commits).toHaveLength(before);
  });

  it('stores values before what acts on the world, and gives them again', async () => {
    const rows = new Rows();
    let n = 0;
    const code = async (scope: RunScope): Promise<Json> => {
      const value = scope.value('random', () => ++n);
      let stored: Json = null;
      await scope.op(open({ repeat: 'safe' }), async () => {
        stored = rows.commits.length;
        return { value: { ok: true, status: 200, value: null } };
      });
      return [value, stored];
    };
    await play(rows, code).end;
    expect(rows.root.output).toEqual([1, 1]);
    await play(rows, code).end;
    expect(rows.root.output).toEqual([1, null]);
  });
});

describe('a leg in which something breaks', () => {
  const nested = (levels: number): Json => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`) as Json;
  const internal = { status: 'failed', error: { code: 'internal', message: 'internal error', status: 500 } };

  it('fails when what is recorded cannot be given to its code, and nothing else does', async () => {
    verifies('run.broken');
    const rows = new Rows();
    const code = (scope: RunScope) => scope.op(look(1), async () => ({ value: 1 }));
    await play(rows, code).end;
    // As an earlier release may have stored it: a copy of it takes more stack than there is.
    const [[key, row] = []] = [...rows.ops];
    if (key && row) rows.ops.set(key, { ...row, value: nested(100_000) });
    const strays: unknown[] = [];
    const stray = (error: unknown): void => void strays.push(error);
    process.on('uncaughtException', stray);
    onTestFinished(() => void process.off('uncaughtException', stray));
    const { end, host } = play(rows, code);
    expect(await end).toBe('ended');
    expect(rows.finished).toMatchObject(internal);
    expect(host.logs).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'a run failed' }) as unknown,
    );
    expect(strays).toEqual([]);
  });

  it('fails when something throws between a step and its record', async () => {
    verifies('run.broken');
    const rows = new Rows({ tokenBudget: 10 });
    const spent = { ...spendRecord, inputTokens: 9 };
    const emit = () => {
      throw new Error('nobody listens');
    };
    const { end } = play(rows, (scope) => scope.op(look(1), async () => ({ value: 1, spend: [spent] })), {
      host: { ...testHost(), emit },
    });
    expect(await end).toBe('ended');
    expect(rows.finished).toMatchObject(internal);
  });

  it('refuses what is too deep where its code asks for it or ends with it, and may be told so', async () => {
    verifies('run.values.deep');
    const rows = new Rows();
    const asked = (levels: number) => async (scope: RunScope) => {
      const said = await scope.op(look(nested(levels)), async () => ({ value: 1 })).catch(String);
      return [said, await scope.op(look(2), async () => ({ value: 2 }))];
    };
    await play(rows, asked(3_000)).end;
    expect(rows.finished).toMatchObject({
      status: 'completed',
      output: ['HTTPError: what is asked of look is nested deeper than 512 levels', 2],
    });
    for (const levels of [513, 100_000]) {
      const other = new Rows();
      await play(other, async () => nested(levels)).end;
      expect(other.finished).toMatchObject({ status: 'failed', error: { code: 'too_deep', status: 500 } });
    }
  });
});

describe('a gated call', () => {
  const code =
    (effects: string[]) =>
    async (scope: RunScope): Promise<Json> =>
      scope.op(
        open(),
        gated(() => effects.push('opened')),
      );

  it('ends the leg until a human decides, then happens once', async () => {
    const [rows, effects] = [new Rows(), [] as string[]];
    expect(await play(rows, code(effects)).end).toBe('held');
    expect(rows.approvals).toMatchObject([{ tool: 'open_door', n: 1, status: 'pending', path: ['guard'] }]);
    expect(await play(rows, code(effects)).end).toBe('held');
    expect([rows.approvals.length, effects.length]).toEqual([1, 0]);
    rows.decide('approved');
    expect(await play(rows, code(effects)).end).toBe('ended');
    expect([rows.root.output, effects.length]).toEqual([{ ok: true, status: 200, value: 1 }, 1]);
  });

  it('is not made when the human says no', async () => {
    const [rows, effects] = [new Rows(), [] as string[]];
    await play(rows, code(effects)).end;
    rows.decide('denied', 'not today');
    await play(rows, code(effects)).end;
    expect(rows.root.output).toEqual({ ok: false, status: 403, message: 'not today' });
    expect(effects).toEqual([]);
  });

  it('asks again when nobody knows whether it happened, and says why', async () => {
    const rows = new Rows();
    await play(rows, code([])).end;
    rows.decide('approved');
    const dying = play(rows, (scope) =>
      scope.op(open(), async (step) => {
        await step.gate({ tool: 'open_door', arguments: {}, approver: {} });
        await step.begin();
        return new Promise<never>(() => {});
      }),
    );
    await turns();
    dying.leg.giveUp();
    expect(await dying.end).toBe('released');
    expect(rows.ops.get('r.0')?.state).toBe('started');
    expect(await play(rows, code([])).end).toBe('held');
    expect(rows.approvals[1]).toMatchObject({
      n: 2,
      reason: expect.stringContaining('interrupted') as string,
    });
  });

  it('is not made with other arguments than those that the human saw', async () => {
    const rows = new Rows();
    const effects: string[] = [];
    await play(rows, code(effects)).end;
    rows.decide('approved');
    const [one] = rows.approvals;
    if (one) rows.approvals[0] = { ...one, argumentsHash: 'of others' };
    await play(rows, code(effects)).end;
    expect(rows.root.output).toMatchObject({ ok: false, status: 409, code: 'arguments_changed' });
    expect(effects).toEqual([]);
  });

  it('asks together with the others of its turn, in one commit', async () => {
    const rows = new Rows();
    const both = (scope: RunScope): Promise<Json> =>
      Promise.all(
        [1, 2].map((n) =>
          scope.op(
            open({ input: n }),
            gated(() => n),
          ),
        ),
      );
    expect(await play(rows, both).end).toBe('held');
    expect(rows.commits.map(({ approvals = [] }) => approvals.length)).toEqual([2]);
  });
});

it('a call that must not be repeated, and whose process stopped in the middle, fails as unknown', async () => {
  const rows = new Rows();
  const code = (scope: RunScope, effect: () => Promise<Json>): Promise<Json> =>
    scope.op(open(), async (step) => {
      await step.begin();
      return { value: { ok: true, status: 200, value: await effect() } };
    });
  const dying = play(rows, (scope) => code(scope, () => new Promise(() => {})));
  await turns();
  dying.leg.giveUp();
  await dying.end;
  let again = 0;
  await play(rows, (scope) => code(scope, async () => ++again)).end;
  expect(rows.root.output).toMatchObject({ ok: false, status: 502, code: 'outcome_unknown' });
  expect(again).toBe(0);
});

describe('a model that is out of reach', () => {
  const away = () => new ModelError('no', { reason: 'unavailable', provider: 'cloud', model: 'small' });

  it('is held, and asked again in the same leg where something else goes on', async () => {
    const rows = new Rows();
    const host = testHost();
    let asked = 0;
    let finish: () => void = () => {};
    const { end } = play(
      rows,
      async (scope) => {
        const work = scope.op(look('work'), async () => {
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          return { value: 'worked' };
        });
        const said = scope.op(look('m', { kind: 'model', name: 'm' }), async () => {
          if (++asked === 1) throw away();
          return { value: 'said' };
        });
        return Promise.all([work, said]);
      },
      { host },
    );
    await turns();
    expect(rows.commits.at(-1)?.wait).toMatchObject({ attempts: 1, reason: 'unavailable', inMs: 1_000 });
    expect(host.events).toMatchObject([{ kind: 'run_waiting', provider: 'cloud' }]);
    await host.clock.advance(999);
    expect(asked).toBe(1);
    await host.clock.advance(1);
    await turns();
    finish();
    expect(await end).toBe('ended');
    expect([asked, rows.root.output]).toEqual([2, ['worked', 'said']]);
  });

  it('ends the leg where nothing else does', async () => {
    const rows = new Rows();
    const ask = (scope: RunScope): Promise<Json> =>
      scope.op(look('m', { kind: 'model', name: 'm' }), () => Promise.reject(away()));
    expect(await play(rows, ask).end).toBe('held');
    expect(rows.ops.get('r.0')?.state).toBe('waiting');
  });
});

describe('a leg that cannot go on', () => {
  it('is out of time: the root fails and its work is given up', async () => {
    const rows = new Rows();
    const host = testHost();
    let signal: AbortSignal | undefined;
    const slow = (scope: RunScope): Promise<Json> => {
      signal = scope.signal;
      return scope.op(look(1), () => new Promise<never>(() => {}));
    };
    const { end } = play(rows, slow, { host, deadlineMs: 5_000 });
    await turns();
    await host.clock.advance(4_999);
    expect(rows.root.status).toBe('running');
    await host.clock.advance(1);
    expect(await end).toBe('ended');
    expect(rows.root.error).toEqual({ code: 'timeout', message: 'timed out after 5 s', status: 504 });
    expect(signal?.aborted).toBe(true);
  });

  it('lost its root: it writes nothing more, and answers nobody', async () => {
    const rows = new Rows();
    let answered = false;
    const { end } = play(rows, async (scope) => {
      await scope.op(look(1), async () => {
        rows.lost = true;
        return { value: 1 };
      });
      answered = true;
      return null;
    });
    expect(await end).toBe('lost');
    await turns();
    expect([answered, rows.commits.length, rows.root.status]).toEqual([false, 0, 'running']);
  });

  it('was cancelled before the beginning of a call was stored: it is not made', async () => {
    const rows = new Rows();
    let effects = 0;
    const { end } = play(rows, (scope) =>
      scope.op(open(), async (step) => {
        rows.lost = true;
        await step.begin();
        effects++;
        return { value: { ok: true, status: 200, value: null } };
      }),
    );
    expect(await end).toBe('lost');
    await turns();
    expect([effects, rows.commits.length]).toEqual([0, 0]);
  });

  it('was disturbed by the service: nothing of that is recorded', async () => {
    const rows = new Rows();
    const broken = (scope: RunScope): Promise<Json> =>
      scope.op(look(1), () => Promise.reject(new HostError('not started')));
    expect(await play(rows, broken).end).toBe('disturbed');
    expect([rows.commits.length, rows.root.status]).toEqual([0, 'running']);
  });

  it('drains: what is under way ends, nothing new is begun', async () => {
    const rows = new Rows();
    let finish: () => void = () => {};
    const begun: number[] = [];
    const { leg, end } = play(rows, async (scope) => {
      for (const n of [1, 2])
        await scope.op(look(n), async () => {
          begun.push(n);
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          return { value: n };
        });
      return null;
    });
    await turns();
    leg.drain();
    finish();
    expect(await end).toBe('released');
    expect([begun, [...rows.ops.keys()]]).toEqual([[1], ['r.0']]);
  });
});

describe('what a run may do', () => {
  it.each([
    { stored: ['door:read', 'door:open'], today: ['door:read'], left: ['door:read'] },
    { stored: ['door:read'], today: ['door:read', 'door:open'], left: ['door:read'] },
    { stored: ['door:read'], today: ['door:open'], left: [] },
  ])('is what was stored and is so today: $stored, $today', async ({ stored, today, left }) => {
    const rows = new Rows({ scopes: stored });
    await play(rows, async (scope) => [...scope.principal.scopes], { scopes: today }).end;
    expect(rows.root.output).toEqual(left);
  });
});

describe('a run inside another', () => {
  const spec = { ...runRecord('c').spec, name: 'below', tokenBudget: null };
  const nested =
    (below: (scope: RunScope) => Promise<Json>) =>
    (scope: RunScope): Promise<Json> =>
      scope.op({ kind: 'run', name: 'below', input: null, repeat: 'safe' }, async (step) => {
        if (!(step instanceof JournalStep)) throw new Error('another runner');
        const call = { principal: scope.principal } as Call;
        const run = await runChild(step, spec, call, async (inner) => ({
          status: 'completed',
          value: await below(inner),
        }));
        return { value: run.output };
      });

  it('has a row and steps of its own, and gives its end to the one above', async () => {
    const rows = new Rows();
    await play(
      rows,
      nested((scope) => scope.op(look(1), async () => ({ value: 'seen' }))),
    ).end;
    expect(rows.children).toMatchObject([{ runId: 'r.0', parentId: 'r', depth: 1, status: 'completed' }]);
    expect([...rows.ops.keys()]).toEqual(['r.0.0', 'r.0']);
    expect(rows.root.output).toBe('seen');
  });

  it('is waited for while it waits, and its end is taken from its row', async () => {
    const rows = new Rows();
    const asks = nested((scope) =>
      scope.op(
        open(),
        gated(() => 'opened'),
      ),
    );
    expect(await play(rows, asks).end).toBe('held');
    expect(rows.approvals).toMatchObject([{ runId: 'r.0', path: ['guard', 'below'] }]);
    rows.decide('approved');
    expect(await play(rows, asks).end).toBe('ended');
    rows.ops.delete('r.0');
    expect(
      await play(
        rows,
        nested(() => Promise.reject(new Error('run again'))),
      ).end,
    ).toBe('ended');
    expect(rows.root.output).toEqual({ ok: true, status: 200, value: 'opened' });
  });
});

describe('the budget of a root', () => {
  const ask = (scope: RunScope): Promise<Json> =>
    scope.op(
      look('m', { kind: 'model', name: 'm', reserveTokens: 600, estimateTokens: 100 }),
      async (step) => ({
        value: step.grantedTokens,
      }),
    );

  it('gives a call the room that is left', async () => {
    const rows = new Rows({ tokenBudget: 500 });
    await play(rows, ask).end;
    expect(rows.root.output).toBe(400);
  });

  it('ends the run where it is used up', async () => {
    const rows = new Rows({ tokenBudget: 100 });
    expect(await play(rows, ask).end).toBe('ended');
    expect(rows.root.status).toBe('budget_exhausted');
  });
});
