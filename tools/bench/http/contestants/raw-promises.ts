// node:http by hand, with what the product promises of every request: an id, a log line, its headers, one Host, no pages of
// other origins, JSON alone and in UTF-8, neither too deep nor with `__proto__`, a deadline, problem documents.
import { createServer } from 'node:http';
import { parse } from 'node:querystring';
import { announce } from '../../lib/announce.ts';
import {
  books,
  constant,
  create,
  isSummaryInput,
  isTicket,
  type SummaryInput,
  summary,
  type Ticket,
  toInteger,
} from '../api.ts';
import { listening } from '../listening.ts';
import { createPromises, type Promised } from '../promises.ts';

const constantText = JSON.stringify(constant);
const summaryPath = /^\/tickets\/([^/]+)\/summary$/;
const promises = createPromises();

const server = createServer({ optimizeEmptyRequests: true }, (req, res) => {
  const visit = promises.begin(req, res);
  if (!visit) return;
  const { method } = req;
  const { path, search } = visit;
  if (method === 'GET' && path === '/static') answer(visit, '/static', 200, constantText);
  else if (method === 'GET' && path === '/books') answer(visit, '/books', 200, JSON.stringify(books()));
  else if (method === 'POST' && path === '/tickets') promises.readJson(visit, answerCreate);
  else {
    const ticket = method === 'GET' ? summaryPath.exec(path)?.[1] : undefined;
    if (ticket === undefined) promises.refuse(visit, 404, 'nothing is served at this path');
    else answerSummary(visit, ticket, search);
  }
});

function answerSummary(visit: Promised, id: string, search: string): void {
  let input: unknown;
  try {
    input = { id: toInteger(decodeURIComponent(id)), max: toInteger(parse(search)['max']) };
  } catch {
    promises.refuse(visit, 400, 'the path is not valid percent-encoding');
    return;
  }
  if (isSummaryInput(input))
    answer(visit, '/tickets/{id}/summary', 200, JSON.stringify(summary(input as SummaryInput)));
  else promises.refuse(visit, 422, 'the input is invalid');
}

function answerCreate(visit: Promised, ticket: unknown): void {
  if (isTicket(ticket)) answer(visit, '/tickets', 201, JSON.stringify(create(ticket as Ticket)));
  else promises.refuse(visit, 422, 'the input is invalid');
}

function answer(visit: Promised, route: string, status: number, text: string): void {
  visit.route = route;
  promises.answer(visit, status, 'application/json', text);
}

announce(await listening(server));
