import { describe, expect, test } from 'vitest';
import { mcpSetting } from '../../support/mcp/mcp-setting.ts';
import { serverFolder } from '../../support/mcp/server-folder.ts';
import { noTool } from '../../support/no-tool.ts';
import { call, resultsOf, type ScriptedRequest } from '../../support/scripted-model.ts';
import { useTool } from '../../support/use-tool.ts';

const namesIn = ({ tools }: ScriptedRequest): readonly string[] => tools.map(({ name }) => name);

function tokensIn({ tools }: Pick<ScriptedRequest, 'tools'>): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(tools)) / 3.5);
}

/** A server with so many tools, one of which sends invoices. */
async function manyTools(count: number) {
  const plain = Array.from({ length: count - 1 }, (_, index) => ({
    name: `thing_${index}`,
    description: `Handles the thing number ${index} of the warehouse, with all that belongs to it, and says what came of it.`,
    inputSchema: { type: 'object', properties: { id: { type: 'string', description: 'Which one it is.' } } },
  }));
  const invoice = {
    name: 'send_invoice',
    description: 'Sends an invoice to a customer. 向客户发送发票。',
    inputSchema: {
      type: 'object',
      properties: {
        customer: { type: 'string', description: 'The name of the customer.' },
        amount: { type: 'number' },
      },
      required: ['customer', 'amount'],
    },
  };
  const server = await serverFolder(...plain.slice(0, 500), invoice, ...plain.slice(500));
  const setting = await mcpSetting({ shop: server.config() }, { config: { agent: { burst_ms: 0 } } });
  await setting.channel.ask('warm up', 'echo: warm up');
  return { server, setting };
}

describe('with a thousand tools of an MCP server', () => {
  test('all tools take 2000 tokens at most, one is found and called, and nothing before it changes', async () => {
    const { setting } = await manyTools(1000);
    const { channel, model } = setting;
    const first = model.last;
    expect(tokensIn(first)).toBeLessThanOrEqual(2000);
    expect(namesIn(first)).toEqual(expect.arrayContaining(['find_tools', 'read_file', 'shell', 'remind']));
    expect(first.tools[0]?.description).toContain('1000 of shop');

    model.next(
      [call('find_tools', { query: 'send an invoice to a customer' })],
      [call('shop_send_invoice', { customer: 'Bo', amount: 5 })],
      'It is sent.',
    );
    await channel.ask('bill Bo', 'It is sent.');
    const [found, sent] = model.requests.slice(-2);
    expect(resultsOf(found ?? first)[0]).toMatch(/^Found: shop_send_invoice, /);
    expect(resultsOf(found ?? first)[0]).toContain('The name of the customer.');
    expect(found?.tools.slice(0, first.tools.length)).toEqual(first.tools);
    expect(found?.tools.find(({ name }) => name === 'shop_send_invoice')?.parameters).toMatchObject({
      required: ['customer', 'amount'],
    });
    expect(JSON.parse(resultsOf(sent ?? first).at(-1) ?? '')).toMatchObject({ args: { customer: 'Bo', amount: 5 } });
    expect(JSON.stringify(sent?.tools)).toBe(JSON.stringify(found?.tools));
    expect(sent?.system).toBe(first.system);

    // The next process knows what was found.
    await setting.restart();
    await channel.ask('again', 'echo: again');
    await setting.channel.whenIdle();
    const told = JSON.stringify(model.last.tools);
    expect(JSON.parse(told)).toEqual(found?.tools);
  });

  test('/tools lists some, and says how many more there are', async () => {
    const { setting } = await manyTools(300);
    await setting.channel.ask('/tools all', 'Tools here:');
    await setting.channel.sees('- and 240 more of MCP server shop');
    const listed = setting.channel.screen.flatMap(({ text }) => text.split('\n')).filter((line) => /^- `/.test(line));
    expect(listed.length).toBeLessThan(100);
    expect(listed.some((line) => line.startsWith('- `write_file`'))).toBe(true);
  });

  test('in Chinese', async () => {
    const { setting } = await manyTools(300);
    expect(await useTool(setting, 'find_tools', { query: '给客户开发票' })).toMatch(/^Found: shop_send_invoice/);
  });

  test('a wrong name is answered with the nearest one, and not with all', async () => {
    const { setting } = await manyTools(1000);
    const said = await useTool(setting, 'shop_send_invoce', {});
    expect(said).toBe(`${noTool('shop_send_invoce')} Did you mean "shop_send_invoice"? Look for it with find_tools.`);
  });
});
