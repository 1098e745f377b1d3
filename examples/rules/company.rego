# Ten rules of Example Ltd. about a pin policy: the same as in company.py.
#
# input.policy is what 'pintle policy --format json' prints; input.now is the time of the check.
package company

import rego.v1

# By their pins: anybody who edits the policy can give a key any name.
our_cas := {
	"sha256/Nhm2gYZR8xOxvSGzON6MnIBVFOMA6Gwc5vdm1Cs3YcQ=",
	"sha256/ky9Nw5dxMTJxdSpaVkqXOd3O9ntEm/hXnIUNKIa1OhA=",
}

is_payment(name) if startswith(name, "pay.")

is_payment(name) if contains(name, ".pay.")

# An entry that covers subdomains covers the payment host below it, unless that has an entry of its own.
is_about_payments(entry) if is_payment(entry.name)

is_about_payments(entry) if {
	entry.host["include-subdomains"]
	names := {other.name | some other in entries; other.audience == entry.audience}
	not sprintf("pay.%s", [entry.name]) in names
}

# Instants are text such as 2026-11-21T00:00:00Z, which sorts as they do.
years_from_now(years) := sprintf("%d%s", [
	to_number(substring(input.now, 0, 4)) + years,
	substring(input.now, 4, -1),
])

finding(code, severity, message, pointer) := {
	"code": code,
	"severity": severity,
	"message": message,
	"pointer": pointer,
}

# Each host with what the rules ask of it.
entries contains entry if {
	some a, h
	audience := input.policy.audiences[a]
	host := audience.hosts[h]
	entry := {
		"audience": a,
		"name": host.host,
		"host": host,
		"keys": keys_of(audience, object.get(host, "key-set", ""), ["active", "backup"]),
		"active": keys_of(audience, object.get(host, "key-set", ""), ["active"]),
		"backup": keys_of(audience, object.get(host, "key-set", ""), ["backup"]),
		"pointer": sprintf("/audiences/%d/hosts/%d", [a, h]),
	}
}

keys_of(audience, set, parts) := {key |
	some members in audience["key-sets"]
	members.name == set
	some part in parts
	some name in members[part]
	some key in audience.keys
	key.name == name
}

is_leaf(key) if key.position == "leaf"

findings contains finding("X101", "error", message, pointer) if {
	some entry in entries
	is_about_payments(entry)
	some key in entry.keys
	not is_leaf(key)
	not object.get(key, "pin", "") in our_cas
	message := sprintf("'%s' uses '%s', which is not one of our CAs", [entry.name, key.name])
	pointer := sprintf("%s/key-set", [entry.pointer])
}

findings contains finding("X102", "error", message, pointer) if {
	some entry in entries
	entry.host.expires > years_from_now(1)
	message := sprintf("the entry of '%s' expires in more than a year", [entry.name])
	pointer := sprintf("%s/expires", [entry.pointer])
}

findings contains finding("X102", "error", message, entry.pointer) if {
	some entry in entries
	not entry.host.expires
	entry.host.mode != "off"
	message := sprintf("the entry of '%s' never expires", [entry.name])
}

# Of a key whose custody isn't known, nobody can say that another one is elsewhere.
has_unknown_custody(entry) if {
	some key in entry.active
	is_leaf(key)
	not key.custody
}

has_spare(entry) if {
	not has_unknown_custody(entry)
	used := {key.custody | some key in entry.active; is_leaf(key)}
	spare := {key.custody | some key in entry.backup; is_leaf(key)}
	count(spare - used) > 0
}

findings contains finding("X103", "error", message, entry.pointer) if {
	some entry in entries
	entry.host.mode == "enforce"
	not has_spare(entry)
	message := sprintf("'%s' has no leaf backup in another custody", [entry.name])
}

findings contains finding("X104", "warning", message, entry.pointer) if {
	some entry in entries
	not endswith(object.get(entry.host, "owner", ""), "@example.com")
	message := sprintf("'%s' has no owner at example.com", [entry.name])
}

findings contains finding("X105", "warning", message, pointer) if {
	some entry in entries
	entry.host.mode == "enforce"
	entry.host["include-subdomains"]
	not entry.host.reason
	message := sprintf("'%s' enforces for all subdomains without a reason", [entry.name])
	pointer := sprintf("%s/include-subdomains", [entry.pointer])
}

findings contains finding("X106", "error", message, pointer) if {
	some entry in entries
	some number, uri in object.get(entry.host, "report-uris", [])
	not startswith(uri, "https://reports.example.com/")
	message := sprintf("reports of '%s' go elsewhere", [entry.name])
	pointer := sprintf("%s/report-uris/%d", [entry.pointer, number])
}

findings contains finding("X107", "error", message, pointer) if {
	some entry in entries
	entry.host.mode == "enforce"
	entry.host["on-expiry"] == "unpinned"
	message := sprintf("'%s' becomes unpinned when it expires", [entry.name])
	pointer := sprintf("%s/on-expiry", [entry.pointer])
}

findings contains finding("X108", "warning", message, pointer) if {
	some a, k
	key := input.policy.audiences[a].keys[k]
	startswith(key.material.algorithm, "RSA ")
	to_number(trim_prefix(key.material.algorithm, "RSA ")) < 3072
	message := sprintf("key '%s' is %s", [key.name, key.material.algorithm])
	pointer := sprintf("/audiences/%d/keys/%d", [a, k])
}

findings contains finding("X109", "warning", message, pointer) if {
	some a, k
	key := input.policy.audiences[a].keys[k]
	key.created < years_from_now(-3)
	message := sprintf("key '%s' is from %s", [key.name, substring(key.created, 0, 10)])
	pointer := sprintf("/audiences/%d/keys/%d/created", [a, k])
}

findings contains finding("X110", "error", message, pointer) if {
	some entry in entries
	not is_payment(entry.name)
	some pay in entries
	pay.audience == entry.audience
	is_payment(pay.name)
	some key in entry.keys & pay.keys
	is_leaf(key)
	message := sprintf("'%s' uses '%s' of a payment host", [entry.name, key.name])
	pointer := sprintf("%s/key-set", [entry.pointer])
}
