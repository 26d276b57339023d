import { type AgentsDeclaration, agent, behaviour, context } from '@waymark/agents';
import {
  anonymousScopes,
  apiKey,
  type CredentialDeclaration,
  type IssuerOptions,
  type JwtOptions,
  jwt,
} from '@waymark/auth';
import {
  callSite,
  checkOptions,
  defineRoute,
  type Fault,
  isOptions,
  type Method,
  type Problem,
  type Route,
  toFinding,
  toProblems,
} from '@waymark/contract';
import { toSecurityReport } from '@waymark/control-plane';
import { staticRoute } from '@waymark/core-routes';
import { memory, query, resource, type SqlDeclaration } from '@waymark/data';
import { camera, type DeviceDeclaration, sensor } from '@waymark/device-hub';
import { type FlowDeclaration, flow } from '@waymark/flows';
import { type ModelDeclaration, models, pricing, provider } from '@waymark/models';
import {
  type ForwardingDeclaration,
  type PagesDeclaration,
  page,
  pageHandler,
  proxy,
  staticFiles,
  type TemplateContext,
  upstream,
} from '@waymark/pages';
import type { Application, BehaviourCall, Middleware, Shorthand } from './application.ts';
import { startApplication } from './boot/start-application.ts';
import { checkDeclarations, isError } from './check/check-declarations.ts';
import { type AddedPlugin, isPlugin, isRoute, noMiddleware, unknownPart } from './check/check-parts.ts';
import { compose } from './compose/compose.ts';
import { type ApplicationDatabase, applicationDatabase } from './compose/compose-data.ts';
import type { Declarations } from './declaring/declarations.ts';
import { type Placed, type Policies, readPolicies } from './declaring/read-policies.ts';
import { titled } from './declaring/titled.ts';
import type { ApplicationOptions, Flags } from './options/application-options.ts';
import { resolveSettings } from './options/resolve-settings.ts';
import type { Settings } from './options/settings.ts';
import { mcpAccess } from './security/mcp-access.ts';
import { securityFacts } from './security/security-facts.ts';
import { securityWarnings } from './security/security-warnings.ts';

/**
 * Makes an application. Nothing happens until `listen`.
 *
 *     const app = createApplication('support', { port: 8000 });
 *     app.get('/tickets/{id}', { input: { id: Type.Integer() }, tool: true }, ({ id }) => find(id));
 *     await app.listen();
 */
export function createApplication(name: string, options: ApplicationOptions = {}): Application {
  const routes: Route[] = [];
  const plugins: AddedPlugin[] = [];
  const credentials: CredentialDeclaration[] = [];
  const modelDeclarations: ModelDeclaration[] = [];
  const dataDeclarations: SqlDeclaration[] = [];
  const pages: PagesDeclaration[] = [];
  const forwarding: ForwardingDeclaration[] = [];
  const agents: AgentsDeclaration[] = [];
  const flows: FlowDeclaration[] = [];
  const devices: DeviceDeclaration[] = [];
  let policies: Policies = {};
  const middleware: Middleware[] = [];
  const callProblems: Problem[] = [];
  const site = callSite(createApplication);
  let database: ApplicationDatabase | undefined;
  const databaseOf = (settings: Settings): ApplicationDatabase => {
    // One for all servers of the application: its handlers hold it.
    if (database?.url !== settings.database || !database) database = applicationDatabase(settings);
    return database;
  };
  const declared = (flags?: Flags): Declarations => {
    const settings = resolveSettings(options, flags, site);
    return {
      name,
      settings,
      database: databaseOf(settings),
      // Copies: what is declared later is for the next server.
      routes: [...routes],
      plugins: plugins.map(({ plugin }) => plugin),
      addedPlugins: [...plugins],
      credentials: [...credentials],
      models: [...modelDeclarations],
      data: [...dataDeclarations],
      pages: [...pages],
      forwarding: [...forwarding],
      agents: [...agents],
      flows: [...flows],
      devices: [...devices],
      ...readPolicies(policies),
      middleware: [...middleware],
      callProblems: [...callProblems],
    };
  };
  const refuse = (declaration: string, at: string, faults: readonly Fault[]): void => {
    callProblems.push(...toProblems(declaration, at, faults));
  };
  const placed = <T extends object>(declaration: string, declaredAt: string, given: T): T & Placed => {
    if (isOptions(given)) return { declaredAt, ...given };
    if (given !== undefined) refuse(declaration, declaredAt, checkOptions(given, {}));
    // Nothing but an object can hold what T asks for, and all of that is optional.
    return { declaredAt } as T & Placed;
  };
  const take = (route: Route): Application => {
    routes.push(route);
    return application;
  };
  const toHandlerRoute = (
    method: Method,
    path: string,
    given: unknown,
    handler: unknown,
    at: string,
  ): Route => {
    // A function in the place of the options is the handler, and the route says that it comes last.
    const options = typeof given === 'function' ? {} : (given as object);
    return defineRoute(
      method,
      path,
      placed(titled`route ${method} ${path}`, at, options),
      handler as () => unknown,
    );
  };
  const shorthand = (method: Method): Shorthand => {
    // One implementation for both overloads; `defineRoute` checks what arrives.
    const declare = (path: string, ...rest: readonly unknown[]): Application => {
      const [given, handler] = rest.length === 1 ? [{}, rest[0]] : rest;
      return take(toHandlerRoute(method, path, given, handler, callSite(declare)));
    };
    return declare as Shorthand;
  };
  // One implementation for both overloads; `pageHandler` checks what arrives.
  const declarePageHandler = (path: string, template: string, ...rest: readonly unknown[]): Application => {
    const [given, handler] = rest.length === 1 ? [{}, rest[0]] : rest;
    const options = placed(titled`page ${path}`, callSite(declarePageHandler), given as object);
    pages.push(pageHandler(path, template, options, handler as () => TemplateContext));
    return application;
  };
  // One implementation for its three forms; `behaviour` checks what arrives.
  const declareBehaviour: BehaviourCall = (...given: readonly unknown[]) => {
    const [body, options, name = nameOf(body)] = given.toReversed();
    const site = callSite(declareBehaviour);
    const placedOptions = placed(titled`behaviour "${name}"`, site, options as object);
    agents.push(behaviour(name as string, placedOptions, body as () => unknown));
    return application;
  };
  const application: Application = {
    name,
    get: shorthand('GET'),
    post: shorthand('POST'),
    put: shorthand('PUT'),
    patch: shorthand('PATCH'),
    delete: shorthand('DELETE'),
    route(method, path, given, handler) {
      return take(toHandlerRoute(method, path, given, handler, callSite(application.route)));
    },
    static(method, path, body, given = {}) {
      const site = callSite(application.static);
      return take(staticRoute(method, path, body, placed(titled`route ${method} ${path}`, site, given)));
    },
    query(method, path, sql, given = {}) {
      const options = placed(titled`query ${method} ${path}`, callSite(application.query), given);
      dataDeclarations.push(query(method, path, sql, options));
      return application;
    },
    resource(name, fields, given = {}) {
      const options = placed(titled`resource "${name}"`, callSite(application.resource), given);
      dataDeclarations.push(resource(name, fields, options));
      return application;
    },
    memory(name = 'memory', given = {}) {
      const declaration = memory(name, placed(titled`memory "${name}"`, callSite(application.memory), given));
      dataDeclarations.push(declaration);
      return declaration.tools;
    },
    page(path, template, given = {}) {
      pages.push(page(path, template, placed(titled`page ${path}`, callSite(application.page), given)));
      return application;
    },
    pageHandler: declarePageHandler,
    staticFiles(path, directory, given = {}) {
      const options = placed(titled`staticFiles ${path}`, callSite(application.staticFiles), given);
      pages.push(staticFiles(path, directory, options));
      return application;
    },
    upstream(name, baseUrl, given = {}) {
      const options = placed(titled`upstream "${name}"`, callSite(application.upstream), given);
      forwarding.push(upstream(name, baseUrl, options));
      return application;
    },
    proxy(method, path, to, given = {}) {
      const options = placed(titled`proxy ${method} ${path}`, callSite(application.proxy), given);
      forwarding.push(proxy(method, path, to, options));
      return application;
    },
    agent(name, given = {}) {
      agents.push(agent(name, placed(titled`agent "${name}"`, callSite(application.agent), given)));
      return application;
    },
    context(name, source, more = {}) {
      const declaredAt = callSite(application.context);
      agents.push(
        typeof source === 'function'
          ? context(name, source, { declaredAt, ...more })
          : context(name, placed(titled`context "${name}"`, declaredAt, source)),
      );
      return application;
    },
    behaviour: declareBehaviour,
    flow(name, given) {
      flows.push(flow(name, placed(titled`flow "${name}"`, callSite(application.flow), given)));
      return application;
    },
    camera(name, given = {}) {
      devices.push(camera(name, placed(titled`camera "${name}"`, callSite(application.camera), given)));
      return application;
    },
    sensor(name, given = {}) {
      devices.push(sensor(name, placed(titled`sensor "${name}"`, callSite(application.sensor), given)));
      return application;
    },
    apiKey(env, id, given = {}) {
      credentials.push(apiKey(env, id, placed(titled`apiKey "${id}"`, callSite(application.apiKey), given)));
      return application;
    },
    jwt(first: string | IssuerOptions, given: JwtOptions = {}) {
      const site = callSite(application.jwt);
      credentials.push(
        typeof first === 'object' && first !== null
          ? jwt(placed('jwt', site, first))
          : jwt(first, placed('jwt', site, given)),
      );
      return application;
    },
    anonymousScopes(...scopes) {
      credentials.push({ ...anonymousScopes(...scopes), declaredAt: callSite(application.anonymousScopes) });
      return application;
    },
    cors(origins, given = {}) {
      policies = { ...policies, cors: { ...placed('cors', callSite(application.cors), given), origins } };
      return application;
    },
    rateLimit(perSecond, given = {}) {
      const options = placed('rateLimit', callSite(application.rateLimit), given);
      policies = { ...policies, rateLimit: { ...options, ...(perSecond !== undefined && { perSecond }) } };
      return application;
    },
    securityHeaders(given) {
      const site = callSite(application.securityHeaders);
      policies = { ...policies, securityHeaders: placed('securityHeaders', site, given) };
      return application;
    },
    models(aliases, given = {}) {
      modelDeclarations.push(models(aliases, placed('models', callSite(application.models), given)));
      return application;
    },
    provider(name, baseUrl, given = {}) {
      const options = placed(titled`provider "${name}"`, callSite(application.provider), given);
      modelDeclarations.push(provider(name, baseUrl, options));
      return application;
    },
    pricing(model, inputPerMtok, outputPerMtok, given = {}) {
      const options = placed(titled`pricing "${model}"`, callSite(application.pricing), given);
      modelDeclarations.push(pricing(model, inputPerMtok, outputPerMtok, options));
      return application;
    },
    add(...parts) {
      for (const part of parts) {
        if (isRoute(part)) routes.push(part);
        else if (isPlugin(part)) plugins.push({ plugin: part, declaredAt: callSite(application.add) });
        else refuse('add', callSite(application.add), [unknownPart(part)]);
      }
      return application;
    },
    use(...more) {
      for (const one of more) {
        if (typeof one === 'function') middleware.push(one);
        else refuse('use', callSite(application.use), [noMiddleware(one)]);
      }
      return application;
    },
    get database() {
      const { database: found } = declared().database;
      if (found) return found;
      throw new Error("the application has no database: write database: 'sqlite://app.db'");
    },
    get table() {
      return compose(declared()).table;
    },
    check: () => checkDeclarations(declared()),
    findings() {
      const declarations = declared();
      const composition = compose(declarations);
      const problems = checkDeclarations(declarations, composition);
      // What is open is said of what can be served.
      const more = problems.some(isError) ? [] : securityWarnings(declarations, composition.table, problems);
      return [...problems.map(toFinding), ...more];
    },
    security: () => {
      const declarations = declared();
      return toSecurityReport(securityFacts(declarations, compose(declarations).table));
    },
    mcpAccess: () => mcpAccess(declared()),
    listen: (flags) => startApplication(declared(flags)),
  };
  return application;
}

function nameOf(body: unknown): string {
  return typeof body === 'function' ? body.name : '';
}
