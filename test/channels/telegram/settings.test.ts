import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { settings } from '../../../channels/telegram/settings.ts';

function faultOf(input: unknown): string {
  const { error } = settings.safeParse(input);
  return error === undefined ? 'no fault' : z.prettifyError(error);
}

describe('the settings', () => {
  test('may be empty, and are then switched off', () => {
    expect(settings.parse({})).toEqual({
      enabled: false,
      token: '',
      api_root: 'https://api.telegram.org',
      allow_from: [],
      groups: {},
      reactions: 'groups',
      drafts: true,
      commands: {},
      poll_timeout_secs: 30,
      poll_grace_secs: 15,
      request_timeout_secs: 45,
    });
  });

  test('take what a person writes for a real bot', () => {
    const input = {
      enabled: true,
      token: '123456:AAE-abc_DEF',
      api_root: 'http://127.0.0.1:8081//',
      allow_from: ['42', '*'],
      groups: {
        '-1001': {},
        '-1002': { require_mention: false, allow_from: ['7', '*'], commands_from: ['owner', '8'] },
      },
    };
    expect(settings.parse(input)).toMatchObject({
      api_root: 'http://127.0.0.1:8081',
      groups: {
        '-1001': { require_mention: true, allow_from: [], commands_from: ['*'] },
        '-1002': { require_mention: false, allow_from: ['7', '*'], commands_from: ['owner', '8'] },
      },
    });
  });

  test('say where a token comes from when there is none', () => {
    expect(faultOf({ enabled: true })).toMatch(/@BotFather[\s\S]*at token/);
    expect(faultOf({ enabled: true, token: 'my secret' })).toContain('@BotFather');
  });

  test('refuse names, which can change hands', () => {
    expect(faultOf({ allow_from: ['@ada'] })).toMatch(/change hands[\s\S]*allow_from\[0\]/);
    expect(faultOf({ allow_from: ['@ada'] })).toContain('it answers a stranger with their id');
    expect(faultOf({ allow_from: [42] })).toContain('in quotes');
    expect(faultOf({ groups: { '-1': { allow_from: ['@ada'] } } })).toContain('change hands');
    for (const who of ['@ada', 'owners', ''])
      expect(faultOf({ groups: { '-1': { commands_from: [who] } } })).toMatch(/change hands[\s\S]*commands_from\[0\]/);
    expect(faultOf({ groups: { '-1': { commands_from: [42] } } })).toContain('in quotes');
    expect(faultOf({ groups: { family: {} } })).toContain('chat id');
  });

  test('refuse what they do not know and what is out of range', () => {
    expect(faultOf({ tokn: 'x' })).toContain('tokn');
    expect(faultOf({ poll_timeout_secs: 51 })).toContain('poll_timeout_secs');
    expect(faultOf({ api_root: 'ftp://example.com' })).toContain('Bot API server');
  });

  test('take the menu of commands in other languages', () => {
    const commands = { de: { stop: 'Anhalten', pair: 'x'.repeat(256) }, pt: {} };
    expect(settings.parse({ commands }).commands).toEqual(commands);
    expect(faultOf({ commands: { de: { '/Stop': 'Anhalten' } } })).toContain('in small letters');
    expect(faultOf({ commands: { DE: {} } })).toContain('ISO 639-1');
    expect(faultOf({ commands: { german: {} } })).toContain('ISO 639-1');
    for (const stop of ['', 'x'.repeat(257)])
      expect(faultOf({ commands: { de: { stop } } })).toContain('commands.de.stop');
  });
});
