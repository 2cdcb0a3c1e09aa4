import { expect, test } from 'vitest';
import { mountsOf } from '../../src/files/mounts.ts';

test('mounts of servers, processes, hypervisors or unknown kinds are remote', () => {
  const mountinfo = [
    '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard',
    '31 27 0:28 / /home rw shared:7 master:1 - btrfs /dev/sda2 rw',
    '33 27 0:30 / /tmp rw - tmpfs tmpfs rw',
    '35 27 0:40 /export /mnt/team\\040share rw,noatime shared:9 - nfs4 server:/export rw,vers=4.2',
    '36 27 0:41 / /home/me/remote rw - fuse.sshfs me@host: rw',
    '37 27 0:42 / /mnt/c rw - 9p C: rw',
    '38 27 0:43 / /srv/new rw - somefs2038 none rw',
    '39 27 0:21 / /proc rw - proc proc rw',
    '',
  ];
  expect(mountsOf(mountinfo.join('\n')).remote).toEqual([
    '/mnt/team share',
    '/home/me/remote',
    '/mnt/c',
    '/srv/new',
    '/proc',
  ]);
});

test('the root itself may be remote', () => {
  expect(mountsOf('1 0 0:1 / / rw - 9p none rw\n')).toEqual({ all: ['/'], remote: ['/'] });
});
