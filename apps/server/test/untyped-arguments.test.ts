import { type Application, createApplication, type Problem } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { base } from './fixtures/mistake.ts';

const here = 'apps/server/test/untyped-arguments.test.ts';

/** What a program without types may pass where a name, a path or a URL belongs. */
const wrong: readonly (readonly [string, unknown])[] = [
  ['a symbol', Symbol('desk')],
  ['an object', {}],
  ['an object without a prototype', Object.create(null)],
  ['a function', () => 'desk'],
  ['a number', 5],
  ['a bigint', 5n],
  ['null', null],
  ['nothing', undefined],
];

type Declare = (app: Application, value: never) => unknown;

const calls: readonly (readonly [string, Declare])[] = [
  ['the path of get', (app, value) => app.get(value, () => [])],
  ['the method of static', (app, value) => app.static(value, '/maps', 1)],
  ['the path of static', (app, value) => app.static('GET', value, 1)],
  ['the method of query', (app, value) => app.query(value, '/maps', 'select 1')],
  ['the path of query', (app, value) => app.query('GET', value, 'select 1')],
  ['the SQL of query', (app, value) => app.query('GET', '/maps', value)],
  ['the name of resource', (app, value) => app.resource(value, { title: 'string' })],
  ['the fields of resource', (app, value) => app.resource('maps', value)],
  ['the name of memory', (app, value) => app.memory(value ?? (null as never))],
  ['the path of page', (app, value) => app.page(value, 'board')],
  ['the template of page', (app, value) => app.page('/board', value)],
  ['the path of staticFiles', (app, value) => app.staticFiles(value, 'apps')],
  ['the directory of staticFiles', (app, value) => app.staticFiles('/assets', value)],
  ['the name of upstream', (app, value) => app.upstream(value, 'https://desk.example.com')],
  ['the base URL of upstream', (app, value) => app.upstream('desk', value)],
  ['the method of proxy', (app, value) => app.proxy(value, '/maps', 'desk')],
  ['the path of proxy', (app, value) => app.proxy('GET', value, 'desk')],
  ['the upstream of proxy', (app, value) => app.proxy('GET', '/maps', value)],
  ['the name of camera', (app, value) => app.camera(value)],
  ['the name of sensor', (app, value) => app.sensor(value)],
  ['the name of provider', (app, value) => app.provider(value, 'https://models.example.com/v1')],
  ['the base URL of provider', (app, value) => app.provider('own', value)],
  ['the target of an alias', (app, value) => app.models({ fast: value })],
  ['the model of pricing', (app, value) => app.pricing(value, 1, 1)],
  ['the name of agent', (app, value) => app.agent(value)],
  ['the name of flow', (app, value) => app.flow(value, { pipeline: ['get_maps'] })],
  ['the name of context', (app, value) => app.context(value, { data: 1 })],
  ['the variable of apiKey', (app, value) => app.apiKey(value, 'shop')],
  ['the id of apiKey', (app, value) => app.apiKey('SHOP_KEY', value)],
  ['the variable of jwt', (app, value) => app.jwt(value)],
];

const options = { ...base, database: ':memory:', templates: 'apps/server/test/fixtures/templates/good' };

describe('an argument that is no text', () => {
  it.each(calls)('as %s is a problem with its line, whatever it is', (_, declare) => {
    for (const [what, value] of wrong) {
      const app = createApplication('shop', options);
      declare(app, value as never);
      const problems: readonly Problem[] = app.check().filter(({ severity }) => severity === undefined);
      expect(problems, what).not.toEqual([]);
      for (const { at, rule, fix } of problems) {
        expect({ what, at }).toEqual({ what, at: expect.stringContaining(`${here}:`) as string });
        expect(`${rule} ${fix}`).not.toMatch(/\[object|=> 'desk'/);
      }
    }
  });
});
