// express out of the box, with its own body parser.

import { createServer } from 'node:http';
import express from 'express';
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

const app = express();

app.get('/static', (_req, res) => {
  res.json(constant);
});
app.get('/tickets/:id/summary', (req, res) => {
  const input = { id: toInteger(req.params.id), max: toInteger(req.query['max']) };
  if (isSummaryInput(input)) res.json(summary(input as SummaryInput));
  else res.status(422).json({ detail: 'invalid' });
});
app.post('/tickets', express.json(), (req, res) => {
  if (isTicket(req.body)) res.status(201).json(create(req.body as Ticket));
  else res.status(422).json({ detail: 'invalid' });
});
app.get('/books', (_req, res) => {
  res.json(books());
});

announce(await listening(createServer(app)));
