# Starts a PostgreSQL server on the loopback, says "ready", and stops it and
# removes its folder at the end of the input. Whatever else it says is an error.
bin=$1 dir=$2 port=$3 password=$4
printf '%s\n' "$password" >"$dir/password"
{
	"$bin/initdb" -D "$dir/data" -U postgres -A scram-sha-256 --pwfile="$dir/password" -E UTF8 --locale=C -N &&
		"$bin/pg_ctl" -D "$dir/data" -w -l "$dir/log" -o "-p $port -k '' -c listen_addresses=127.0.0.1 -c max_connections=200" start
} >"$dir/start" 2>&1 </dev/null || {
	cat "$dir/start" "$dir/log" 2>/dev/null
	exit 1
}
echo ready
read -r _ || true
"$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1
cd / && rm -rf "$dir"
