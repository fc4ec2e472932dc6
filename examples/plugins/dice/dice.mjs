#!/usr/bin/env node
/** Rolls dice for Keyturn. Speaks JSON-RPC 2.0, one message a line, on its standard input and output. */
import { randomInt } from 'node:crypto';
import { createInterface } from 'node:readline';

const tools = {
  roll_dice({ count, sides = 6 }) {
    const rolls = Array.from({ length: count }, () => randomInt(1, sides + 1));
    return { output: rolls.join(' '), for_user: `🎲 ${rolls.join(' ')}` };
  },
};

const methods = {
  initialize: () => ({}),
  execute: ({ tool, args }) => tools[tool](args),
  shutdown: () => ({}),
};

function say(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

// The input ends when Keyturn needs it no more, and with it this program.
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  // A notification has no id and wants no answer. Nothing here takes long enough to be cancelled.
  if (id === undefined) continue;
  try {
    say({ id, result: methods[method](params) });
  } catch (error) {
    say({ id, error: { code: -32603, message: error.message } });
  }
}
