import { createRouteTable, defineRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { anonymous } from '@waymark/contract/principal';
import { controlPlane, controlRule, toSecurityReport } from '@waymark/control-plane';

const plane = controlPlane({
  name: 'desk',
  version: '1.0.0',
  draining: () => false,
  gauges: () => ({ sessions: 2 }),
  document: () => ({ openapi: '3.1.0' }),
});
const hello = defineRoute('GET', '/hello', { tool: true, summary: 'Greets.' }, () => 'hello');
const rename = defineRoute('PUT', '/name', {}, () => undefined);
const table = createRouteTable([hello, rename, ...plane.routes]).freeze();

// Normally a dispatcher stands here. It asks the rule first, and then the engine of the route.
const rule = controlRule({ authenticated: true });
const visitor = { principal: anonymous(), clientAddress: '203.0.113.9', headers: {} };
console.log(rule({ path: '/tools', ...visitor })?.status); // 401
console.log(rule({ path: '/health', ...visitor })?.status); // undefined: nothing to refuse

const context = { table, principal: visitor.principal } as EngineContext;
console.log(await table.get('get_svc_tools')?.engine.answer?.(context)); // { tools: [ … ] }

// What GET /_svc/security answers.
console.log(toSecurityReport({ table }).warnings); // [{ text: 'PUT /name changes state …', fix: 'give it scopes' }]
