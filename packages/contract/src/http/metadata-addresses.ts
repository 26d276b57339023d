/** Where clouds hand credentials to whoever asks from the machine itself. */
export const metadataAddresses: readonly string[] = [
  '169.254.169.254', // AWS, Azure, Google, DigitalOcean, Oracle
  '169.254.170.2', // AWS containers
  '169.254.170.23',
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure's host
  '169.254.0.23', // Tencent
  '169.254.42.42', // Scaleway
  '192.0.0.192', // Oracle, the older one
  'fd00:ec2::254', // AWS
  'fd00:ec2::23',
  'fd20:ce::254', // Google
  'fd00:c1::a9fe:a9fe', // Oracle
  'fd00:42::42', // Scaleway
  'fd00:100::100:200', // Alibaba
  'fd00:a9fe:a9fe::1', // Linode
  'fe80::a9fe:a9fe', // OpenStack
];
