import { callSite, isError, toFinding } from '@waymark/contract/declaring';
import { toSecurityReport } from '@waymark/control-plane';
import type { Application, DeclarationCalls } from './application.ts';
import { startApplication } from './boot/start-application.ts';
import { bootProblems } from './check/boot-problems.ts';
import { checkDeclarations } from './check/check-declarations.ts';
import { isPlugin, isRoute, noMiddleware, unknownPart } from './check/check-parts.ts';
import { type ApplicationDatabase, applicationDatabase } from './compose/application-database.ts';
import { compose } from './compose/compose.ts';
import { DeclarationList } from './declaring/declaration-list.ts';
import type { Declarations } from './declaring/declarations.ts';
import type { ApplicationFeature } from './declaring/features.ts';
import { readPolicies } from './declaring/policies-feature.ts';
import { toMethods } from './declaring/to-methods.ts';
import type { ApplicationOptions, Flags } from './options/application-options.ts';
import { processesOf } from './options/processes-of.ts';
import { resolveSettings } from './options/resolve-settings.ts';
import { rehearse } from './rehearse/rehearse.ts';
import { mcpAccess } from './security/mcp-access.ts';
import { securityFacts } from './security/security-facts.ts';
import { securityWarnings } from './security/security-warnings.ts';
import { toUpkeep } from './upkeep/upkeep.ts';

/**
 * Makes an application whose methods are the kinds of the features.
 *
 * @param site where it is made, unless an option says so
 */
export function makeApplication(
  name: string,
  options: ApplicationOptions,
  features: readonly ApplicationFeature[],
  site: string,
): Application {
  const list = new DeclarationList(features);
  let database: ApplicationDatabase | undefined;
  const declared = (flags?: Flags): Declarations => {
    const settings = resolveSettings(options, flags, site);
    // One for all servers of the application: its handlers hold it.
    if (database?.url !== settings.database || !database) database = applicationDatabase(settings);
    const copy = list.copy();
    return { name, settings, database, features, ...copy, ...readPolicies(copy.declared.policies) };
  };
  const fixed: Omit<Application, keyof DeclarationCalls> = {
    ...{ name, ...toInspections(declared) },
    add(...parts) {
      for (const part of parts) {
        if (isRoute(part)) list.addRoute(part);
        else if (isPlugin(part)) list.addPlugin(part, callSite(fixed.add));
        else list.refuse('add', callSite(fixed.add), [unknownPart(part)]);
      }
      return application;
    },
    use(...middleware) {
      for (const one of middleware) {
        if (typeof one === 'function') list.use(one);
        else list.refuse('use', callSite(fixed.use), [noMiddleware(one)]);
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
    rehearse: (watcher, rehearsal = {}) => rehearse(declared(), watcher, rehearsal),
    upkeep: () => toUpkeep(declared),
    plan(flags) {
      const declarations = declared(flags);
      const { host, port, shutdownTimeout } = declarations.settings;
      return {
        ...{ ...processesOf(declarations), host, port, shutdownTimeout },
        problems: async () => (await bootProblems(declarations)).filter(isError),
      };
    },
    listen: (flags) => startApplication(declared(flags), flags?.development, flags?.post),
  };
  const methods = toMethods(features, list, () => application);
  // There is a row for each of the calls, and their types are those of `declare`: a test of types holds both.
  const application: Application = Object.assign(fixed, methods as unknown as DeclarationCalls);
  return application;
}

/** What can be asked of an application that does not run. */
function toInspections(
  declared: () => Declarations,
): Pick<Application, 'check' | 'findings' | 'security' | 'mcpAccess'> {
  return {
    check: () => checkDeclarations(declared()),
    findings() {
      const declarations = declared();
      const composition = compose(declarations);
      const problems = checkDeclarations(declarations, composition);
      // What is open is said of what can be served.
      const more = problems.some(isError) ? [] : securityWarnings(declarations, composition, problems);
      return [...problems.map(toFinding), ...more];
    },
    security() {
      const declarations = declared();
      return toSecurityReport(securityFacts(declarations, compose(declarations)));
    },
    mcpAccess: () => mcpAccess(declared()),
  };
}
