import {
  limitsOfCases,
  runLimitCases,
  runRetryCases,
  runStoreCases,
  runWaitCases,
  sessionStoreCases,
  verifies,
} from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { fileDatabase, testDatabase } from '../open.ts';
import { storesOfRuns } from './stores-of-runs.ts';

describe.each([
  ['in memory', testDatabase],
  ['in a file', () => fileDatabase({ synchronous: 'normal' })],
])('sqlRunStore %s', (_, open) => {
  it.each([...runStoreCases, ...runWaitCases, ...runRetryCases])('$name', async ({ run }) => {
    verifies('run.values.large', 'run.kept.whole');
    await expect(run(storesOfRuns(await open()))).resolves.toBeUndefined();
  });
});

describe.each([
  ['in memory', testDatabase],
  ['in a file', () => fileDatabase({ synchronous: 'normal' })],
])('sqlSessionStore %s', (_, open) => {
  it.each(sessionStoreCases)('$name', async ({ run }) => {
    verifies('session.history', 'session.appended');
    await expect(run(storesOfRuns(await open()))).resolves.toBeUndefined();
  });
});

describe.each([
  ['in memory', testDatabase],
  ['in a file', () => fileDatabase({ synchronous: 'normal' })],
])('the limits of sqlRunStore %s', (_, open) => {
  it.each(runLimitCases)('$name', async ({ run }) => {
    verifies('session.own-only', 'session.full', 'run.kept.bytes', 'run.kept.bytes-pruned');
    const { keepBytesPerCaller, ...sessions } = limitsOfCases;
    await expect(run(storesOfRuns(await open(), { sessions, keepBytesPerCaller }))).resolves.toBeUndefined();
  });
});
