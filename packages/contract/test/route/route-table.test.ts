import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeclarationError } from '../../src/declaring/declaration-error.ts';
import type { Principal } from '../../src/principal/principal.ts';
import type { Method, Route } from '../../src/route/route.ts';
import type { RouteTable } from '../../src/route/route-table.ts';
import { createRouteTable } from '../../src/route/route-table.ts';
import type { EngineRouteOptions } from '../../src/route/to-route.ts';
import { toRoute } from '../../src/route/to-route.ts';
import { verifies } from '../../src/testing/index.ts';

function route(method: Method, path: string, options: EngineRouteOptions = {}): Route {
  return toRoute(method, path, { kind: 'handler' }, { declaredAt: `app.ts:${path}`, ...options });
}

function rules(table: RouteTable): readonly string[] {
  return table.problems.map(({ rule }) => rule);
}

/** Name and path of each route, in the order of the table. */
function names(table: Iterable<Route>): readonly string[] {
  return [...table].map(({ name, path }) => `${name} ${path}`);
}

describe('createRouteTable', () => {
  it('holds routes in the order they were declared', () => {
    const table = createRouteTable([route('GET', '/b')])
      .add(route('GET', '/a'), route('POST', '/a'))
      .freeze();
    expect(names(table)).toEqual(['get_b /b', 'get_a /a', 'create_a /a']);
    expect(table.size).toBe(3);
  });

  it('finds a route by name', () => {
    const b = route('GET', '/b');
    const table = createRouteTable([b]);
    expect(table.get('get_b')).toBe(b);
    expect(table.get('get_c')).toBeUndefined();
  });

  it('serves control routes under /_svc, or under the prefix it was given', () => {
    const tools = route('GET', '/tools', { plane: 'control' });
    expect(createRouteTable([tools]).pathOf(tools)).toBe('/_svc/tools');
    expect(createRouteTable([tools], { controlPrefix: '/hub/admin' }).pathOf(tools)).toBe('/hub/admin/tools');
    expect(createRouteTable().pathOf(route('GET', '/tools'))).toBe('/tools');
  });

  it('gives a route the time it says, else that of the application: less for requests than for runs', () => {
    const [plain, own, run] = [
      route('GET', '/a'),
      route('GET', '/b', { timeoutMs: 5 }),
      toRoute('POST', '/c', { kind: 'agent', durability: 'run' }),
    ];
    const table = createRouteTable([plain, own, run]);
    expect([plain, own, run].map((one) => table.timeoutOf(one))).toEqual([30_000, 5, 600_000]);
    const limits = createRouteTable([], { requestTimeoutMs: 1, agentTimeoutMs: 2 });
    expect([plain, own, run].map((one) => limits.timeoutOf(one))).toEqual([1, 5, 2]);
  });

  it('lets bodies hold the values that a route says, else those of the application', () => {
    const [plain, own] = [route('POST', '/a'), route('POST', '/b', { maxBodyValues: 5 })];
    const values = (...given: Parameters<typeof createRouteTable>) =>
      [plain, own].map((one) => createRouteTable(...given).maxBodyValuesOf(one));
    expect(values()).toEqual([100_000, 5]);
    expect(values([], { maxBodyValues: 7 })).toEqual([7, 5]);
  });

  it.each(['', '/', '_svc', '/_svc/', '/a//b', '/a/../b', '/.', '/{x}', '/a b'])(
    'refuses the prefix %j',
    (controlPrefix) => {
      expect(rules(createRouteTable([], { controlPrefix }))).toEqual([
        `control prefix "${controlPrefix}" is not a path of one or more plain segments`,
      ]);
    },
  );
});

describe('RouteTable.tools', () => {
  const table = createRouteTable([
    route('GET', '/plain'),
    route('GET', '/b', { tool: true, scopes: ['b:read'] }),
    route('GET', '/a', { tool: true }),
    route('GET', '/c', { tool: true, scopes: ['b:read', 'c:read'] }),
  ]);
  const principal = (...scopes: string[]): Principal => ({
    id: 'k',
    rootId: 'k',
    authenticated: true,
    scopes,
  });
  const toolNames = (who?: Principal): readonly string[] => table.tools(who).map(({ name }) => name);

  it('lists tools in the order they were declared', () => {
    expect(toolNames()).toEqual(['get_b', 'get_a', 'get_c']);
  });

  it('lists for a principal the tools it has all scopes for', () => {
    expect(toolNames(principal())).toEqual(['get_a']);
    expect(toolNames(principal('b:read'))).toEqual(['get_b', 'get_a']);
    expect(toolNames(principal('b:read', 'c:read'))).toEqual(['get_b', 'get_a', 'get_c']);
  });

  it('finds a tool by name, and no route that is none', () => {
    expect(table.tool('get_a')?.path).toBe('/a');
    expect(table.tool('get_plain')).toBeUndefined();
    expect(table.tool('get_x')).toBeUndefined();
  });

  it('knows tools that are added later', () => {
    const growing = createRouteTable([route('GET', '/a', { tool: true })]);
    expect(growing.tools()).toHaveLength(1);
    growing.add(route('GET', '/b', { tool: true }));
    expect(growing.tools()).toHaveLength(2);
  });
});

describe('RouteTable, collisions', () => {
  it.each<[string, Route, Route]>([
    ['the same path', route('GET', '/a'), route('GET', '/a')],
    ['paths that differ in the names of parameters', route('GET', '/a/{x}'), route('GET', '/a/{y}')],
    ['tools', route('GET', '/a', { tool: true }), route('GET', '/a', { tool: true })],
    ['control routes', route('GET', '/a', { plane: 'control' }), route('GET', '/a', { plane: 'control' })],
    ['sockets', route('GET', '/a', { socket: true }), route('GET', '/a', { socket: true })],
  ])('refuses two routes for the same requests: %s', (_, first, second) => {
    const table = createRouteTable([first, second]);
    const path = table.pathOf(second);
    const rule =
      first.path === second.path
        ? `GET ${path} is declared twice, first at ${first.declaredAt}`
        : `GET ${path} answers the same requests as GET ${first.path}, declared at ${first.declaredAt}`;
    expect(rules(table)).toEqual([rule]);
  });

  it('names the later one of a file as the second, whichever is taken in first, and both as they are written', () => {
    const served = { ...route('GET', '/{file*}'), declaredAt: 'spa.ts:5' };
    const rest = { ...route('GET', '/{rest*}'), declaredAt: 'spa.ts:16' };
    for (const routes of [
      [rest, served],
      [served, rest],
    ])
      expect(createRouteTable(routes).problems).toMatchObject([
        {
          declaration: 'route GET /{rest*}',
          rule: 'GET /{rest*} answers the same requests as GET /{file*}, declared at spa.ts:5',
          at: 'spa.ts:16',
        },
      ]);
  });

  it.each<[string, Route, Route]>([
    ['methods', route('GET', '/a'), route('POST', '/a')],
    ['a slash at the end', route('GET', '/a'), route('GET', '/a/')],
    ['letter case', route('GET', '/a'), route('GET', '/A')],
    ['a parameter and a rest', route('GET', '/a/{x}'), route('GET', '/a/{x*}')],
    ['a parameter and text', route('GET', '/a/{x}'), route('GET', '/a/x')],
    ['a socket and a plain route', route('GET', '/a'), route('GET', '/a', { socket: true })],
    ['planes', route('GET', '/a'), route('GET', '/a', { plane: 'control' })],
  ])('takes routes that differ: %s', (_, first, second) => {
    const table = createRouteTable([first, second]).freeze();
    expect(table.size).toBe(2);
    expect(new Set([...table].map(({ name }) => name)).size).toBe(2);
  });

  it('refuses two tools of one name', () => {
    verifies('name.collision.tools');
    const table = createRouteTable([
      route('GET', '/a-b', { tool: true }),
      route('GET', '/other', { tool: true, toolName: 'get_a_b' }),
    ]);
    expect(rules(table)).toEqual(['tool name "get_a_b" is taken by the route at app.ts:/a-b']);
    expect(() => table.freeze()).toThrow(DeclarationError);
  });

  it('leaves a tool its name, whichever comes first', () => {
    const tool = route('GET', '/z', { tool: true, toolName: 'get_a' });
    const plain = route('GET', '/a');
    for (const routes of [
      [tool, plain],
      [plain, tool],
    ]) {
      const table = createRouteTable(routes).freeze();
      expect(table.get('get_a')?.path).toBe('/z');
      expect([...table].map(({ path }) => path)).toEqual(routes.map(({ path }) => path));
    }
  });

  it('keeps tools in the order of declaration when one takes the name of a plain route', () => {
    const table = createRouteTable([
      route('GET', '/a'),
      route('GET', '/b', { tool: true }),
      route('GET', '/c', { tool: true, toolName: 'get_a' }),
    ]);
    expect(table.tools().map(({ path }) => path)).toEqual(['/b', '/c']);
    expect([...table].map(({ path }) => path)).toEqual(['/a', '/b', '/c']);
  });

  it('tells other routes of one name apart by a suffix', () => {
    verifies('name.collision.others');
    const table = createRouteTable([route('GET', '/a-b'), route('GET', '/a.b')]).freeze();
    expect(names(table)[0]).toBe('get_a_b /a-b');
    expect(names(table)[1]).toMatch(/^get_a_b_[0-9a-z]{6} \/a\.b$/);
    expect(table.get([...table][1]?.name ?? '')?.path).toBe('/a.b');
  });

  it('gives every route the same name in whatever order they are declared', () => {
    verifies('name.collision.others');
    const routes = [
      route('GET', '/a-b'),
      route('GET', '/a.b'),
      route('GET', '/a_b'),
      route('GET', '/a_b', { socket: true }),
      route('GET', '/z', { tool: true, toolName: 'get_z_z' }),
      route('GET', '/z.z'),
      route('GET', '/z_z'),
    ];
    const byPath = (list: readonly Route[]): readonly string[] =>
      [...createRouteTable(list).freeze()]
        .map(({ name, path, socket }) => `${path} ${socket} ${name}`)
        .sort();
    fc.assert(
      fc.property(fc.shuffledSubarray(routes, { minLength: routes.length }), (shuffled) => {
        expect(byPath(shuffled)).toEqual(byPath(routes));
      }),
    );
  });

  it('gives second names that do not depend on the prefix', () => {
    const routes = [route('GET', '/a-b', { plane: 'control' }), route('GET', '/a.b', { plane: 'control' })];
    expect(names(createRouteTable(routes, { controlPrefix: '/x' }))).toEqual(names(createRouteTable(routes)));
  });

  it('says so when even the second name is taken', () => {
    const [, second] = [...createRouteTable([route('GET', '/a-b'), route('GET', '/a.b')])];
    const table = createRouteTable([
      route('GET', '/taken', { tool: true, toolName: second?.name ?? '' }),
      route('GET', '/a-b'),
      route('GET', '/a.b'),
    ]);
    expect(rules(table)).toEqual([`name "${second?.name}" is taken by the route at app.ts:/taken`]);
  });

  it.each(['/_svc', '/_svc/', '/_svc/tools', '/_svc/{x}'])(
    'refuses the path %s under the control prefix',
    (path) => {
      expect(rules(createRouteTable([route('GET', path)]))).toEqual([
        'the path lies under the control prefix /_svc',
      ]);
    },
  );

  it('takes a path that merely begins with the letters of the prefix', () => {
    expect(rules(createRouteTable([route('GET', '/_svcs'), route('GET', '/a/_svc')]))).toEqual([]);
  });
});

describe('RouteTable.freeze', () => {
  it('throws every problem at once, with the place of each', () => {
    const table = createRouteTable([
      route('GET', 'a'),
      route('GET', '/b'),
      route('GET', '/b', { timeoutMs: 0 }),
    ]);
    expect(() => table.freeze()).toThrow(new DeclarationError(table.problems));
    expect(table.problems).toMatchObject([
      { code: 'path-form', declaration: 'route GET a', at: 'app.ts:a' },
      { code: 'option-range', declaration: 'route GET /b', at: 'app.ts:/b' },
      { code: 'route-twice', rule: 'GET /b is declared twice, first at app.ts:/b', at: 'app.ts:/b' },
    ]);
  });

  it('ends declaring', () => {
    const table = createRouteTable([route('GET', '/a')]);
    expect(table.freeze()).toBe(table);
    expect(() => table.add(route('GET', '/b'))).toThrow('the route table is frozen');
    expect(table.size).toBe(1);
  });

  it('leaves a table open that it refuses', () => {
    const table = createRouteTable([route('GET', 'a')]);
    expect(() => table.freeze()).toThrow(DeclarationError);
    expect(() => table.add(route('GET', '/b'))).not.toThrow();
  });
});
