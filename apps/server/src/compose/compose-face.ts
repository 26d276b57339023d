import { isAuthenticationConfigured } from '@waymark/auth';
import type { RouteTable } from '@waymark/contract';
import type { ToProblemPage } from '@waymark/contract/http';
import type { ControlRule } from '@waymark/contract/principal';
import { problemPages } from '@waymark/control-plane';
import { anonymousScopesOf } from '../declaring/anonymous-scopes.ts';
import type { Declarations } from '../declaring/declarations.ts';
import { basePathOf } from './base-path.ts';

/** Makes the pages that browsers are shown in place of problem documents (decision 12.4). */
export function composeFace(
  { name, settings, declared }: Declarations,
  table: RouteTable,
  rule: ControlRule,
): ToProblemPage {
  const { version, description, controlPrefix } = settings;
  const basePath = basePathOf(settings);
  return problemPages({
    ...{ name, version, description },
    prefix: basePath + controlPrefix,
    home: `${basePath}/`,
    signIn: isAuthenticationConfigured(declared.credentials),
    table: () => table,
    anonymousScopes: anonymousScopesOf({ declared }),
    mayReach: (access) => rule(access) === undefined,
  });
}
