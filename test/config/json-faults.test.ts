import { expect, test } from 'vitest';
import { faultsOf } from './load-text.ts';

test.each([
  ['{"owners"： []}', '1:10', 'this is a Chinese colon (：). JSON needs ":".'],
  ['{"owners": []， "log": {}}', '1:14', 'this is a Chinese comma (，). JSON needs ",".'],
  ['{"owners": []、 "log": {}}', '1:14', 'this is a Chinese comma (、). JSON needs ",".'],
  ['{“owners”: []}', '1:2', 'this is a typographic quotation mark (“). JSON needs the straight one: ".'],
  ['{"model": “offline”}', '1:11', 'this is a typographic quotation mark (“). JSON needs the straight one: ".'],
  [
    '{"model": "offline”, "log": {}}',
    '1:23',
    'a string before this ends with a typographic quotation mark (”). JSON needs the straight one: ".',
  ],
  ['{「model」: 1}', '1:2', 'this is another quotation mark (「). JSON needs the straight one: ".'],
  ["{'model': 1}", '1:2', `this is a single quotation mark ('). JSON needs double ones: ".`],
  ['{"model": `offline`}', '1:11', 'this is a backtick (`). JSON needs double quotation marks: ".'],
  ['｛"model": "offline"｝', '1:1', 'this is a wide brace (｛). JSON needs "{".'],
  ['{"owners": 【】}', '1:12', 'this is a wide bracket (【). JSON needs "[".'],
  ['{"agent" = {}}', '1:10', 'this is an equals sign (=). JSON needs ":" between a key and its value.'],
  ['{"agent": {}};', '1:14', 'this is a semicolon (;). JSON separates with ",", and nothing follows the last "}".'],
  [
    '{\u00a0"agent": {}}',
    '1:2',
    'this is a blank that is not the usual one. Delete it, and write a usual blank if one is needed.',
  ],
  [
    '{"agent":\u3000{}}',
    '1:10',
    'this is a blank that is not the usual one. Delete it, and write a usual blank if one is needed.',
  ],
  [
    '{"agent": {}}\u200b',
    '1:14',
    'this is an invisible character. Delete it, and write a usual blank if one is needed.',
  ],
  ['{ # mine\n}', '1:3', 'this is a number sign (#). A comment begins with "//".'],
  ['{"agent": {"max_turns": +5}}', '1:25', 'a number has no "+" in front of it.'],
  ['{"agent": {"max_turns": .5}}', '1:25', 'a number has a digit before its point: 0.5.'],
  ['{"agent": {"max_turns": 0x1f}}', '1:26', 'a number is written with decimal digits.'],
  ['{"agent": {"max_turns": 1_000}}', '1:26', 'a number has no "_" between its digits.'],
  ['{"agent": {"max_turns": −5}}', '1:25', 'this is a dash (−). JSON needs the minus sign of the keyboard: "-".'],
  ['{"model": None}', '1:11', 'JSON has no None: write null, or leave the key out.'],
  ['{"model": undefined}', '1:11', 'JSON has no undefined: write null, or leave the key out.'],
  ['{"approval": {"enabled": True}}', '1:26', 'JSON has no True: write true.'],
  ['{"approval": {"enabled": off}}', '1:26', 'JSON has no off: write false.'],
  ['{"agent": {"max_turns": Infinity}}', '1:25', 'JSON has no Infinity: write a number.'],
  ['{model: "offline"}', '1:2', 'this key needs double quotes around it: "key".'],
  ['{"model": sk-abc}', '1:11', 'this text needs double quotes around it: "text".'],
  [
    '{\n<<<<<<< HEAD\n"log": {}\n=======\n}',
    '2:1',
    'this is a mark of a git conflict (<<<<<<<). Keep one of the two versions, and delete the lines with such marks.',
  ],
  [
    '{\n"log": {},\n=======\n}',
    '3:1',
    'this is a mark of a git conflict (=======). Keep one of the two versions, and delete the lines with such marks.',
  ],
  ['```json\n{}\n```', '1:1', 'this is a Markdown fence. Delete this line, and the one that ends the fence.'],
  [
    'export default {}',
    '1:1',
    'this is JavaScript. The config is only the object: delete what stands before "{" and behind "}".',
  ],
  [
    'model: offline\nagent:\n  mode: assistant\n',
    '1:1',
    'this looks like YAML. The config is JSON: { "key": "value", "block": { "key": 5 } }.',
  ],
  [
    '---\nmodel: offline\n',
    '1:1',
    'this looks like YAML. The config is JSON: { "key": "value", "block": { "key": 5 } }.',
  ],
  [
    '[agent]\nmode = "assistant"\n',
    '1:2',
    'this looks like TOML or a .env file. The config is JSON: { "key": "value", "block": { "key": 5 } }.',
  ],
  [
    '# mine\nmode = "assistant"\n',
    '1:1',
    'this looks like TOML or a .env file. The config is JSON: { "key": "value", "block": { "key": 5 } }.',
  ],
  ['<config/>', '1:1', 'this looks like XML or HTML. The config is JSON: { "key": "value", "block": { "key": 5 } }.'],
])('%j: the character or the format is named, and what to write', async (text, place, words) => {
  expect(await faultsOf(text)).toBe(`config.json:${place}  ${words}`);
});
