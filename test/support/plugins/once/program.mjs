/** A plugin's program that is started for each call: it reads one request to its end, and says one answer. */
let text = '';
for await (const chunk of process.stdin) text += chunk;
const { jsonrpc, id, method, params } = JSON.parse(text);
console.log('working …');
console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { output: JSON.stringify({ jsonrpc, method, ...params }) } }));
