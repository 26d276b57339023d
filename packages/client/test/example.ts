import { createClient, ProblemError } from '@waymark/client';

const desk = createClient({
  baseUrl: process.env['DESK_URL'] ?? 'http://127.0.0.1:8000',
  apiKey: process.env['OPERATOR_KEY'],
});

try {
  const { id } = await desk.createTickets({ title: 'The kettle leaks' });
  const tickets = await desk.listTickets({ status: 'open' }, { timeoutMs: 2_000 });
  console.log(`ticket ${id} is one of ${tickets.length} that are open`);
} catch (error) {
  if (!(error instanceof ProblemError)) throw error;
  console.log(`${error.status} ${error.detail}`);
}
