import { resolve } from 'node:path';
import { nearest } from '@waymark/contract/declaring';
import { describe, expect, it } from 'vitest';
import { citations, citedIds } from '../../e2e/cited-ids.ts';
import { requirementGroups, requirements } from '../../e2e/requirements.ts';

const cited = citations(resolve(import.meta.dirname, '../..'));

describe('the list of requirements', () => {
  it('has well-formed ids', () => {
    const word = '[a-z0-9]+(-[a-z0-9]+)*';
    const wellFormed = new RegExp(`^${word}(\\.${word})+$`);
    expect(requirements.map(({ id }) => id).filter((id) => !wellFormed.test(id))).toEqual([]);
  });

  it('has each id once', () => {
    const ids = requirements.map(({ id }) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  });

  it('says each thing in one finished sentence', () => {
    const unfinished = requirements.filter(({ text }) => !/^\S.*\S\.$/.test(text));
    expect(unfinished.map(({ id }) => id)).toEqual([]);
  });

  it('has lost none', () => {
    const sizes = Object.entries(requirementGroups).map(([group, { length }]) => [group, length]);
    expect(Object.fromEntries(sizes)).toEqual({
      servicePurpose: 36,
      serviceTools: 20,
      serviceApplication: 23,
      serviceRoutes: 17,
      serviceDeclarations: 110,
      serviceAgents: 43,
      serviceBehaviours: 48,
      serviceFlows: 31,
      serviceObjects: 17,
      serviceDevices: 47,
      serviceStates: 11,
      serviceEndpoints: 54,
      serviceMcp: 13,
      serviceAuthentication: 30,
      serviceEvents: 17,
      serviceErrors: 13,
      serviceLimits: 22,
      serviceVersioning: 6,
      decisionsAside: 19,
      decisionsFace: 76,
      decisionsConsole: 39,
      decisionsHttp: 198,
      decisionsAuthority: 69,
      decisionsMcp: 62,
      decisionsData: 162,
      decisionsAgents: 86,
      decisionsFeed: 40,
      decisionsFlows: 35,
      decisionsRuns: 115,
      decisionsDevices: 118,
      decisionsEmbedding: 21,
      decisionsOperation: 176,
      decisionsScale: 48,
      decisionsSignIn: 38,
      decisionsDocsPage: 20,
    });
  });
});

describe('the tests as a whole', () => {
  it('cite known ids only', () => {
    const known = new Set(requirements.map(({ id }) => id));
    const unknown = [...cited].filter(([id]) => !known.has(id));
    expect(unknown.map(([id, files]) => `${id} in ${files.join(', ')}${suggestion(id, known)}`)).toEqual([]);
  });

  it('verify every requirement', () => {
    const unverified = requirements.filter(({ id }) => !cited.has(id));
    expect(unverified.map(({ id, clause, text }) => `${id} (${clause}): ${text}`)).toEqual([]);
  });
});

describe('citedIds', () => {
  it('finds one id, several, and calls over several lines, in either kind of quotes', () => {
    const source = `
      it('a', () => { verifies('one.id'); });
      it('b', () => {
        verifies(
          'two.ids',
          "double.quoted",
        );
      });
    `;
    expect(citedIds('sample.test.ts', source)).toEqual(['one.id', 'two.ids', 'double.quoted']);
  });

  it('ignores comments, strings and other functions', () => {
    const source = `
      // verifies('in.line-comment')
      /* verifies('in.block-comment') */
      const text = "verifies('in.string')";
      const pattern = /['"]/; verifies('after.regex' /* 'in.argument-comment' */);
      falsifies('other.function');
    `;
    expect(citedIds('sample.test.ts', source)).toEqual(['after.regex']);
  });

  it('refuses an id that it cannot read', () => {
    expect(() => citedIds('sample.test.ts', 'verifies(id)')).toThrow('sample.test.ts: verifies(…) takes ids');
  });
});

function suggestion(id: string, known: Iterable<string>): string {
  const meant = nearest(id, known);
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}
