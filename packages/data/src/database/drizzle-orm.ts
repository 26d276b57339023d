import { createRequire } from 'node:module';

// In their CommonJS form: for each ES module of a package node parses its package.json anew, that of drizzle has 178 KB,
// and together this takes longer than everything else a server loads (0.6 s instead of 0.1 s).
const load = createRequire(import.meta.url);
const orm = load('drizzle-orm') as typeof import('drizzle-orm');
const core = load('drizzle-orm/sqlite-core') as typeof import('drizzle-orm/sqlite-core');
const proxy = load('drizzle-orm/sqlite-proxy') as typeof import('drizzle-orm/sqlite-proxy');

export const { and, desc, eq, gte, inArray, lt, ne, notInArray, sql } = orm;
export const { integer, sqliteTable, text } = core;
export const { drizzle } = proxy;
